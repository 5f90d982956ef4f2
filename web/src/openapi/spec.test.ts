import { expect, it } from "vitest";

import { isSlug, operationMarkdown, slugOfAddress, slugOfFile, slugOfText, type Spec, stateOf, titleOfText } from "./spec";

it.each([
  ["https://petstore3.swagger.io/api/v3/openapi.json", "petstore3"],
  ["https://api.example.com/openapi.yaml", "example"],
  ["https://raw.githubusercontent.com/acme/Shop_API/main/openapi.yaml", "shop-api"],
  ["https://example.org/specs/billing.v2.yaml", "billing-v2"],
  ["https://example.org/Zahlungs%C3%BCbersicht.json?raw=1", "zahlungsubersicht"],
  ["  http://192.0.2.7:8080/swagger.json", "swagger"],
  ["https://example.org/%E0%A4%A.json", "e0-a4-a"],
  ["https://", ""],
  ["petstore.yaml", ""],
  ["", ""],
])("derives a slug from the address %s", (address, slug) => {
  expect(slugOfAddress(address)).toBe(slug);
});

it.each([
  ["Pet Store v2.yaml", "", "pet-store-v2"],
  ["openapi.yaml", "openapi: 3.1.0\ninfo:\n  title: Müll & Abfuhr # draft\n", "mull-abfuhr"],
  ["openapi.json", "{}", "openapi"],
  ["шина.json", "", ""],
])("derives a slug from the file %s", (name, text, slug) => {
  expect(slugOfFile(name, text)).toBe(slug);
});

it.each([
  ['{"openapi":"3.1.0","info":{"title":"Orders, returns","version":"1"}}', "orders-returns"],
  ["info: {title: Pets, version: 1}", "pets"],
  ["info:\n  title: 'Big cats'\n", "big-cats"],
  ["nothing", ""],
])("derives a slug from the text %s", (text, slug) => {
  expect(slugOfText(text)).toBe(slug);
});

it.each([
  ["overlay: 1.0.0\ninfo:\n  title: 'Names of #tags'\n", "Names of #tags"],
  ["info: {title: Orders, version: 1}", "Orders"],
  ["info:\n  title: Orders # draft\n", "Orders"],
  ['{"info":{"title":"Orders, returns"}}', "Orders, returns"],
  ["actions: []", ""],
])("finds the title in the text %s", (text, title) => {
  expect(titleOfText(text)).toBe(title);
});

it("knows which slugs the server takes", () => {
  expect(["a", "pets-2", "a".repeat(100)].filter((text) => !isSlug(text))).toEqual([]);
  expect(["", "Pets", "a--b", "-a", "a-", "a b", "ä", "a".repeat(101)].filter(isSlug)).toEqual([]);
});

it("tells a failed run with an earlier version from one without", () => {
  const spec = { processingState: "complete" } as Spec;
  expect(stateOf(spec)).toBe("read");
  expect(stateOf({ ...spec, processingState: "pending", lastProcessErrorCode: "FETCH_ERROR" })).toBe("pending");
  expect(stateOf({ ...spec, lastProcessErrorCode: "PARSE_ERROR" })).toBe("failed");
  expect(stateOf({ ...spec, lastProcessErrorCode: "PARSE_ERROR", lastVersion: "v" })).toBe("kept");
  expect(stateOf({ ...spec, lastVersion: "v", lastProcessedErrors: [{ message: "m", code: "WARNING" }] })).toBe("findings");
});

it("links an operation to the source, if it is an address", () => {
  expect(operationMarkdown({ slug: "pets" } as Spec)).toContain("\nOpenAPI pets\n");
  expect(operationMarkdown({ slug: "pets", sourceURL: "https://a.example/o.json" } as Spec)).toContain("\n[OpenAPI pets](https://a.example/o.json)\n");
});
