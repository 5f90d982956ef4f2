import type { Messages } from "../index";

/** Texts of notifications. In sentences, `{actor}` is a person and `{target}` a change request or a space. */
export const notifications: Messages["notifications"] = {
  sentences: {
    mention: "{actor} vous a mentionné dans {target}",
    comment: "{actor} a commenté {target}",
    reply: "{actor} a répondu à un commentaire sur {target}",
    "review-requested": "{actor} vous demande de relire {target}",
    reviewed: "{actor} a relu {target}",
    approved: "{actor} a approuvé {target}",
    "changes-requested": "{actor} demande des modifications pour {target}",
    merged: "{actor} a fusionné {target}",
  },
  unread: "Non lue",
  filter: "Notifications à afficher",
  filters: { all: "Toutes", unread: "Non lues" },
  markRead: "Marquer comme lue",
  markUnread: "Marquer comme non lue",
  markAll: "Tout marquer comme lu",
  showAll: "Toutes les notifications",
  none: "Aucune notification.",
  noneHint: "Vous saurez ici quand quelqu’un vous mentionne, vous répond, vous demande une relecture ou décide de vos demandes de modification.",
  noneUnread: "Tout est lu.",
  settings: "Paramètres des notifications",
  settingsHint: "Les notifications apparaissent toujours sur la cloche de la navigation.",
  mail: "Envoyer aussi les notifications par e-mail",
};
