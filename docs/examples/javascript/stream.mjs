// Puts a model's event stream through a surface while it arrives. Node 18 or later, no packages.
//
//   RETICENT_TOKEN=... node stream.mjs http://127.0.0.1:8377 browser_stream < events.txt
//
// `fetch` sends a whole body before it gives an answer, so this uses node:http, which reads while it writes.
import http from "node:http";
import https from "node:https";
import { pipeline } from "node:stream/promises";

/**
 * Filter one stream for one surface.
 * @param {NodeJS.ReadableStream} source what the model sends
 * @param {NodeJS.WritableStream} sink what the reader gets
 * @param {{service: string, surface: string, token?: string, type?: string}} options
 */
export async function filter(source, sink, { service, surface, token, type = "text/event-stream" }) {
  const url = new URL(`/v1/surfaces/${encodeURIComponent(surface)}/filter`, service);
  const headers = { "content-type": type };
  if (token) headers.authorization = `Bearer ${token}`;
  const request = (url.protocol === "https:" ? https : http).request(url, { method: "POST", headers });
  const answered = new Promise((resolve, reject) => request.on("response", resolve).on("error", reject));
  const sent = pipeline(source, request);
  const response = await answered;
  if (response.statusCode !== 200) {
    request.destroy();
    sent.catch(() => {});
    let problem = "";
    for await (const chunk of response) problem += chunk;
    throw new Error(`refused (${response.statusCode}): ${JSON.parse(problem).type}`);
  }
  // A response that was cut off fails here, because its last chunk is missing.
  await Promise.all([sent, pipeline(response, sink, { end: false })]);
}

if (process.argv[1] && import.meta.url.endsWith("/stream.mjs") && process.argv[1].endsWith("stream.mjs")) {
  const [service, surface] = process.argv.slice(2);
  await filter(process.stdin, process.stdout, { service, surface, token: process.env.RETICENT_TOKEN });
}
