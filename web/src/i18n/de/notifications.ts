import type { Messages } from "../index";

/** Texts of notifications. In sentences, `{actor}` is a person and `{target}` a change request or a space. */
export const notifications: Messages["notifications"] = {
  sentences: {
    mention: "Erwähnung durch {actor} in {target}",
    comment: "{actor} hat {target} kommentiert",
    reply: "{actor} hat auf einen Kommentar zu {target} geantwortet",
    "review-requested": "{actor} bittet um eine Prüfung von {target}",
    reviewed: "{actor} hat {target} geprüft",
    approved: "{actor} hat {target} freigegeben",
    "changes-requested": "{actor} verlangt Änderungen an {target}",
    merged: "{actor} hat {target} zusammengeführt",
  },
  unread: "Ungelesen",
  filter: "Welche Benachrichtigungen",
  filters: { all: "Alle", unread: "Ungelesene" },
  markRead: "Als gelesen markieren",
  markUnread: "Als ungelesen markieren",
  markAll: "Alle als gelesen markieren",
  showAll: "Alle Benachrichtigungen",
  none: "Es gibt keine Benachrichtigungen.",
  noneHint: "Hier erscheinen Erwähnungen, Antworten, Bitten um Prüfung und Entscheidungen über eigene Änderungsvorschläge.",
  noneUnread: "Alles ist gelesen.",
  settings: "Einstellungen der Benachrichtigungen",
  settingsHint: "An der Glocke in der Navigation erscheinen Benachrichtigungen immer.",
  mail: "Benachrichtigungen auch per E-Mail senden",
};
