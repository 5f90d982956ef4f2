/** The shapes of the icons: paths in a square of 24 units, drawn with lines. */
const shapes = {
  home: "M4 11.5 12 5l8 6.5V20h-5v-5H9v5H4z",
  space: "M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zm0 13a3 3 0 0 1 3-3h11",
  collection: "M4 7h6l2 2h8v10H4z",
  site: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c5 5 5 13 0 18-5-5-5-13 0-18",
  changes: "M7 4v16M7 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm0 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm10 0a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm0-4V9a3 3 0 0 0-3-3h-3",
  members: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zm-6 9c0-4 2.5-6 6-6s6 2 6 6m1-16a3.5 3.5 0 0 1 0 7m2 3c2 .8 3 2.8 3 6",
  settings: "M12 15.500a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM12 3v3m0 12v3M3 12h3m12 0h3M5.6 5.600l2.1 2.100m8.6 8.6 2.1 2.100m0-12.8-2.1 2.100m-8.6 8.6-2.1 2.1",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zm5-1.500L21 21",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6 6 18",
  check: "m5 12.5 4.5 4.500L19 7.5",
  chevron: "m9 6 6 6-6 6",
  down: "m6 9 6 6 6-6",
  up: "m6 15 6-6 6 6",
  back: "M20 12H4m6-6-6 6 6 6",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  menu: "M4 7h16M4 12h16M4 17h16",
  page: "M6 3h8l4 4v14H6zm8 0v4h4",
  group: "M4 6h16M4 12h10M4 18h10",
  link: "M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.700l-1 1m2 3.700a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.700l1-1",
  edit: "m4 20 1-4L16 5l3 3L8 19zm10-13 3 3",
  trash: "M5 7h14M10 7V4h4v3m-7 0 1 13h8l1-13",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  comment: "M4 5h16v11h-9l-4 4v-4H4z",
  smile: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8.500 14.500a4 4 0 0 0 7 0M9 10h.01M15 10h.01",
  history: "M4 12a8 8 0 1 0 2.5-5.800L4 8.500M4 4v4.500h4.500M12 8v4.500l3 2",
  merge: "M7 4v16M7 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm0 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm10-6a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm-10-6c0 3 3 4 8 4",
  git: "M12 3v18M12 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zm0 13a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  hidden: "M4 4l16 16M9.5 6A9 9 0 0 1 12 5.500c6 0 9.5 6.5 9.5 6.500a17 17 0 0 1-3 3.700M6 8a17 17 0 0 0-3.5 4S6 18.5 12 18.500c1.3 0 2.5-.3 3.6-.8",
  file: "M6 3h8l4 4v14H6zm8 0v4h4M12 11v6m-2.5-2.500L12 17l2.5-2.5",
  out: "M8 6h10v10M18 6 6 18",
  drag: "M9 6h.01M9 12h.01M9 18h.01M15 6h.01M15 12h.01M15 18h.01",
  info: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zm0-10v5.500m0-9h.01",
  warning: "m12 3.5 9.5 17h-19zm0 6.500v4.500m0 3h.01",
  theme: "M12 3a9 9 0 1 0 0 18zm0 0a9 9 0 0 1 0 18",
  key: "M14.5 13.500a4.5 4.5 0 1 0-4-2.500L4 17.500V20h3v-2h2v-2h2l2.5-2.900M16 8h.01",
  audit: "M6 3h12v18H6zm3 5h6m-6 4h6m-6 4h3",
  send: "m4 12 16-8-6 16-3-6z",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zm4 5h4",
  unread: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8z",
  code: "m8 7-5 5 5 5m8-10 5 5-5 5",
} as const;

export type IconName = keyof typeof shapes;

/** Shows an icon, which assistive programs do not read. */
export function Icon({ name }: { name: IconName }) {
  const isDotted = name === "more" || name === "drag";
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" strokeWidth={isDotted ? 3 : undefined}>
      <path d={shapes[name]} />
    </svg>
  );
}
