import { useMessages } from "../../i18n";
import { TextField } from "../../ui";
import { ConditionField } from "../structure/condition-field";
import { ThemedColourField } from "./colour-field";
import { Choice, Fold, Toggle } from "./fields";
import { ItemList, LinkFields, LinkList } from "./link-list";
import { type HeaderItem, useLook } from "./model";
import { TargetField } from "./target-field";

/** The header with its links. */
export function Header() {
  const { sites } = useMessages();
  const { value, set } = useLook();
  const { header } = value;
  const change = (changes: Partial<typeof header>) => set({ header: { ...header, ...changes } });
  const primary = value.styling.primaryColor;
  return (
    <Fold title={sites.header}>
      <Choice label={sites.headerPreset} names={sites.headerPresets} value={header.preset} onChange={(preset) => change({ preset })} />
      {header.preset === "custom" && (
        <>
          <ThemedColourField label={sites.headerBackground} value={header.backgroundColor ?? primary} onChange={(backgroundColor) => change({ backgroundColor })} />
          <ThemedColourField
            label={sites.headerText}
            value={header.linkColor ?? { light: "#ffffff", dark: "#ffffff" }}
            onChange={(linkColor) => change({ linkColor })}
          />
        </>
      )}
      <h3>{sites.headerLinks}</h3>
      <ItemList
        items={header.links}
        onChange={(links) => change({ links })}
        nameOf={({ title }) => title}
        addLabel={sites.addHeaderLink}
        make={(): HeaderItem => ({ title: "", style: "link", to: { kind: "url", url: "https://" }, links: [] })}
      >
        {(item, setItem) => <HeaderItemFields item={item} onChange={setItem} />}
      </ItemList>
    </Fold>
  );
}

function HeaderItemFields({ item, onChange }: { item: HeaderItem; onChange: (item: HeaderItem) => void }) {
  const { sites } = useMessages();
  const { site } = useLook();
  const isMenu = item.to === null;
  return (
    <>
      <TextField label={sites.itemTitle} value={item.title} onChange={(title) => onChange({ ...item, title })} isRequired />
      <Choice label={sites.linkLook} names={sites.linkLooks} value={item.style ?? "link"} onChange={(style) => onChange({ ...item, style })} />
      <Toggle
        label={sites.isMenu}
        hint={sites.isMenuHint}
        value={isMenu}
        onChange={(menu) => onChange(menu ? { ...item, to: null } : { ...item, to: { kind: "url", url: "https://" }, links: [] })}
      />
      {item.to !== null && <TargetField value={item.to} onChange={(to) => onChange({ ...item, to })} />}
      {isMenu && <LinkList links={item.links} onChange={(links) => onChange({ ...item, links })} addLabel={sites.addLinkToMenu} />}
      <ConditionField site={site} value={item.condition ?? ""} onChange={(condition) => onChange({ ...item, condition: condition === "" ? undefined : condition })} />
    </>
  );
}

/** The footer with its groups of links. */
export function Footer() {
  const { sites } = useMessages();
  const { value, set } = useLook();
  const { footer } = value;
  return (
    <Fold title={sites.footer}>
      <TextField
        label={sites.copyright}
        value={footer.copyright ?? ""}
        maxLength={300}
        onChange={(text) => set({ footer: { ...footer, copyright: text === "" ? undefined : text } })}
      />
      <TextField
        label={sites.privacyPolicy}
        type="url"
        value={value.privacyPolicy.url ?? ""}
        placeholder="https://"
        onChange={(url) => set({ privacyPolicy: url === "" ? {} : { url } })}
      />
      <h3>{sites.footerGroups}</h3>
      <ItemList
        items={footer.groups}
        onChange={(groups) => set({ footer: { ...footer, groups } })}
        nameOf={({ title }) => title}
        addLabel={sites.addFooterGroup}
        make={() => ({ title: "", links: [] })}
      >
        {(group, setGroup) => (
          <>
            <TextField label={sites.itemTitle} value={group.title} onChange={(title) => setGroup({ ...group, title })} isRequired />
            <LinkList links={group.links} onChange={(links) => setGroup({ ...group, links })} addLabel={sites.addLink} />
          </>
        )}
      </ItemList>
    </Fold>
  );
}

/** The message above the header. */
export function Announcement() {
  const { sites } = useMessages();
  const { value, set } = useLook();
  const announcement = value.announcement ?? { enabled: false, message: "", style: "info" as const };
  const change = (changes: Partial<typeof announcement>) => {
    const changed = { ...announcement, ...changes };
    set({ announcement: changed.enabled || changed.message !== "" ? changed : undefined });
  };
  const { link } = announcement;
  return (
    <Fold title={sites.announcement}>
      <Toggle label={sites.announcementOn} value={announcement.enabled} onChange={(enabled) => change({ enabled })} />
      {(announcement.enabled || announcement.message !== "") && (
        <>
          <TextField label={sites.message} value={announcement.message} maxLength={128} isRequired onChange={(message) => change({ message })} />
          <Choice label={sites.announcementStyle} names={sites.announcementStyles} value={announcement.style} onChange={(style) => change({ style })} />
          <Toggle
            label={sites.announcementLink}
            value={link !== undefined}
            onChange={(isOn) => change({ link: isOn ? { title: "", to: { kind: "url", url: "https://" } } : undefined })}
          />
          {link && <LinkFields link={link} onChange={(changed) => change({ link: changed })} />}
        </>
      )}
    </Fold>
  );
}
