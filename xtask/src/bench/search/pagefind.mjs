// Indexes spaces with Pagefind and runs queries in its interface for browsers.
//
// Arguments: the folder with the installed package, the file with the spaces and queries, the folder
// for the indexes. Prints the results as JSON. Files are read where a browser would send requests.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

const [packages, input, output] = process.argv.slice(2);
const { spaces, queries, limit } = JSON.parse(await readFile(input, "utf8"));
// Node.js takes scripts for modules only in packages that say so.
await mkdir(output, { recursive: true });
await writeFile(`${output}/package.json`, '{ "type": "module" }');
const installed = pathToFileURL(`${packages}/node_modules/pagefind/lib/index.js`).href;
const { createIndex, close } = await import(installed);

for (const [number, { language, pages }] of spaces.entries()) {
  const { index } = await createIndex({ forceLanguage: language });
  for (const [page, content] of pages.entries()) {
    const { errors } = await index.addHTMLFile({ url: `/${page}`, content });
    if (errors.length > 0) throw new Error(errors.join());
  }
  await index.writeFiles({ outputPath: `${output}/${number}` });
}
await close();

globalThis.fetch = async (address) => {
  const url = new URL(address instanceof Request ? address.url : address);
  url.search = "";
  return new Response(await readFile(fileURLToPath(url)));
};
const engines = new Map();
for (const { space } of queries) {
  if (engines.has(space)) continue;
  const folder = pathToFileURL(`${output}/${space}/`).href;
  const { createInstance } = await import(`${folder}pagefind.js`);
  engines.set(space, createInstance({ basePath: folder, baseUrl: "/" }));
}
let found = [];
// The first pass loads the parts of the indexes.
for (let pass = 0; pass < 2; pass++) {
  found = [];
  for (const { space, text } of queries) {
    const start = performance.now();
    const { results } = await engines.get(space).search(text);
    const shown = await Promise.all(results.slice(0, limit).map((result) => result.data()));
    const seconds = (performance.now() - start) / 1000;
    found.push({ pages: shown.map(({ url }) => Number(url.slice(1))), seconds });
  }
}
console.log(JSON.stringify(found));
