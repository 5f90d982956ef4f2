import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** The address of the server to which the development server forwards calls of the API. */
const server = process.env["BINDERY_URL"] ?? "http://127.0.0.1:8080";

// The host of requests stays, because the server compares it with their origin.
const proxied = { target: server, changeOrigin: false };
const proxy = {
  "/app/icons": proxied,
  "/v1": { ...proxied, ws: true },
  "/~assets": proxied,
  "/~files": proxied,
  "/~preview": proxied,
  "^/app/(sign-in|sign-out|invitations|account|password|sessions)": proxied,
};

const PROSEMIRROR = /node_modules\/(orderedmap|prosemirror-(model|transform|state|view|keymap|commands|history))\//;

export default defineConfig({
  base: "/app/",
  plugins: [react()],
  build: {
    target: "es2022",
    assetsDir: "assets",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The licences of the packages must accompany their code.
    license: { fileName: "assets/licenses.md" },
    reportCompressedSize: false,
    // Parts of the editor that are loaded later share these packages, which compress best in one file.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "prosemirror", test: PROSEMIRROR }] } } },
  },
  server: { proxy },
  preview: { proxy },
  test: { environment: "jsdom", include: ["src/**/*.test.ts", "src/**/*.test.tsx"] },
});
