import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from "react";
import { I18nProvider } from "react-aria-components";

import { en } from "./en";
import type { later as laterCatalogue } from "./en/later";

/** A catalogue of texts: those of the English one, with other words. */
export type Messages = Widen<typeof en & typeof laterCatalogue>;
type Widen<T> = T extends string
  ? string
  : T extends (...args: infer A) => string
    ? (...args: A) => string
    : { [K in keyof T]: Widen<T[K]> };

/** The languages of the interface, with their own names. */
export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español", fr: "Français" } as const;
export type Language = keyof typeof LANGUAGES;

/** The catalogues other than the English one, which are loaded when they are needed. */
const loaders: Partial<Record<Language, () => Promise<Messages>>> = {
  de: () => import("./de").then(({ de }) => de),
  es: () => import("./es").then(({ es }) => es),
  fr: () => import("./fr").then(({ fr }) => fr),
};

const STORED = "bindery.language";

function isLanguage(text: string | null): text is Language {
  return text !== null && Object.hasOwn(LANGUAGES, text);
}

function preferred(): Language {
  const stored = localStorage.getItem(STORED);
  if (isLanguage(stored)) return stored;
  const asked = navigator.languages.map((language) => language.split("-")[0] ?? "");
  return asked.find(isLanguage) ?? "en";
}

interface Chosen {
  language: Language;
  messages: Messages;
  choose: (language: Language) => void;
}

let laterTexts: typeof laterCatalogue | undefined;
let promised: Promise<void> | undefined;

/** Milliseconds after which texts that could not be loaded are asked for again. */
const RETRY = 1_000;

/** Loads the texts of later areas. The promise ends after a failure too, and the next call tries again. */
function loadLater(): Promise<void> {
  const failed = () => new Promise<void>((resolve) => setTimeout(resolve, RETRY)).then(() => (promised = undefined));
  return (promised ??= import("./en/later").then((found) => {
    laterTexts = found.later;
  }, failed));
}

/** Returns the texts of later areas. A component that asks for them too early is shown when they are there. */
function later(): typeof laterCatalogue {
  if (laterTexts === undefined) throw loadLater();
  return laterTexts;
}

/** The English texts. */
const english: Messages = {
  ...en,
  get editor() {
    return later().editor;
  },
  get notifications() {
    return later().notifications;
  },
  get openapi() {
    return later().openapi;
  },
  get review() {
    return later().review;
  },
  get audit() {
    return later().audit;
  },
  get sites() {
    return later().sites;
  },
  get spaceSettings() {
    return later().spaceSettings;
  },
};

const LanguageContext = createContext<Chosen>({ language: "en", messages: english, choose: () => {} });

/** Provides the texts of the interface in the language of the reader. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(preferred);
  const [messages, setMessages] = useState<Messages | undefined>(language === "en" ? english : undefined);
  useEffect(() => {
    let isCurrent = true;
    document.documentElement.lang = language;
    const load = loaders[language] ?? (() => loadLater().then(() => english));
    const show = (found: Messages) => {
      if (isCurrent) setMessages(found);
    };
    load().then(show, () => show(english));
    return () => {
      isCurrent = false;
    };
  }, [language]);
  const choose = useCallback((chosen: Language) => {
    localStorage.setItem(STORED, chosen);
    setLanguage(chosen);
  }, []);
  const value = useMemo(() => messages && { language, messages, choose }, [language, messages, choose]);
  // Texts in another language would jump when the right ones come.
  if (!value) return null;
  return (
    <LanguageContext value={value}>
      <I18nProvider locale={language}>{children}</I18nProvider>
    </LanguageContext>
  );
}

/** Returns the texts of the interface. */
export function useMessages(): Messages {
  return use(LanguageContext).messages;
}

/** Returns the language of the interface and a function that changes it. */
export function useLanguage(): Chosen {
  return use(LanguageContext);
}
