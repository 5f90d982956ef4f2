import { useMessages } from "../../i18n";
import { Choice, Fold, Toggle } from "./fields";
import { useLook } from "./model";

/** The parts of pages that can be switched on and off. */
export function Features() {
  const { sites } = useMessages();
  const { value, set, isVariant } = useLook();
  const { pageActions } = value;
  return (
    <Fold title={sites.features}>
      <Toggle label={sites.pagination} value={value.pagination.enabled} onChange={(enabled) => set({ pagination: { enabled } })} />
      <Toggle label={sites.feedback} hint={sites.feedbackHint} value={value.feedback.enabled} onChange={(enabled) => set({ feedback: { enabled } })} />
      <Toggle label={sites.pdf} value={value.pdf.enabled} onChange={(enabled) => set({ pdf: { enabled } })} />
      <Toggle label={sites.editLink} hint={sites.editLinkHint} value={value.git.showEditLink} onChange={(showEditLink) => set({ git: { showEditLink } })} />
      <Toggle
        label={sites.unlistedPages}
        hint={sites.unlistedPagesHint}
        value={value.unlistedPages?.enabled ?? true}
        onChange={(enabled) => set({ unlistedPages: { enabled } })}
      />
      <Choice
        label={sites.linksOpen}
        names={sites.linkTargets}
        value={value.externalLinks.target}
        onChange={(target) => set({ externalLinks: { target } })}
      />
      <Toggle label={sites.trademark} value={value.trademark.enabled} onChange={(enabled) => set({ trademark: { enabled } })} />
      {!isVariant && (
        <>
          <h3>{sites.pageActions}</h3>
          <Toggle label={sites.actionMarkdown} value={pageActions.markdown} onChange={(markdown) => set({ pageActions: { ...pageActions, markdown } })} />
          <Toggle
            label={sites.actionAssistants}
            hint={sites.actionAssistantsHint}
            value={pageActions.externalAI}
            onChange={(externalAI) => set({ pageActions: { ...pageActions, externalAI } })}
          />
          <Toggle label={sites.actionMcp} hint={sites.actionMcpHint} value={pageActions.mcp} onChange={(mcp) => set({ pageActions: { ...pageActions, mcp } })} />
          <h3>{sites.views.insights}</h3>
          <Toggle
            label={sites.trackingCookie}
            hint={sites.trackingCookieHint}
            value={value.insights.trackingCookie}
            onChange={(trackingCookie) => set({ insights: { trackingCookie } })}
          />
        </>
      )}
    </Fold>
  );
}
