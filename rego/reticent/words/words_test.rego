package reticent.words_test

import data.reticent.words

test_reasoning_classes_are_classes if {
	words.reasoning_classes - words.classes == set()
	words.classes - words.reasoning_classes == {"derived"}
}

test_brief_lifetimes_are_lifetimes_and_durable_is_not_brief if {
	words.lifetimes - words.brief_lifetimes == {"durable"}
}
