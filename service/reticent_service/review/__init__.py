"""The review page: the table as the people who sign it read it; made on the server, readable without JavaScript."""
