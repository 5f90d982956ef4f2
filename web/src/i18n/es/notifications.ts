import type { Messages } from "../index";

/** Texts of notifications. In sentences, `{actor}` is a person and `{target}` a change request or a space. */
export const notifications: Messages["notifications"] = {
  sentences: {
    mention: "Mención de {actor} en {target}",
    comment: "{actor} comentó {target}",
    reply: "{actor} respondió a un comentario sobre {target}",
    "review-requested": "{actor} solicita una revisión de {target}",
    reviewed: "{actor} revisó {target}",
    approved: "{actor} aprobó {target}",
    "changes-requested": "{actor} solicita cambios en {target}",
    merged: "{actor} fusionó {target}",
  },
  unread: "Sin leer",
  filter: "Qué notificaciones",
  filters: { all: "Todas", unread: "Sin leer" },
  markRead: "Marcar como leída",
  markUnread: "Marcar como no leída",
  markAll: "Marcar todas como leídas",
  showAll: "Todas las notificaciones",
  none: "No hay notificaciones.",
  noneHint: "Aquí aparecen las menciones, las respuestas, las revisiones solicitadas y las decisiones sobre las propuestas de cambio propias.",
  noneUnread: "No queda nada sin leer.",
  settings: "Ajustes de las notificaciones",
  settingsHint: "Las notificaciones aparecen siempre en la campana de la navegación.",
  mail: "Enviar las notificaciones también por correo",
};
