import "./ui/ui.css";
import "./shell/shell.css";

import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { queries } from "./api/queries";
import { LanguageProvider } from "./i18n";
import { App } from "./shell/app";
import { applyTheme } from "./shell/theme";

applyTheme();

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no element for the application");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <LanguageProvider>
        <App />
      </LanguageProvider>
    </QueryClientProvider>
  </StrictMode>,
);
