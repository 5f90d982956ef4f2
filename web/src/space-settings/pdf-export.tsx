import { client, data } from "../api/client";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { download, readPdf } from "../review/pdf";
import { Button } from "../ui";
import { FormError } from "./parts";
import { refusalOf } from "./refusal";

/** The button that makes a PDF of all pages of a space and offers it to the person. */
export function PdfExport({ space: spaceId, title }: { space: string; title: string }) {
  const { spaceSettings, shell } = useMessages();
  const texts = spaceSettings.content;
  const make = useChange(
    async () => {
      const { url } = await data(client.GET("/spaces/{spaceId}/pdf", { params: { path: { spaceId } } }));
      return readPdf(spaceId, url);
    },
    { forget: [], isQuiet: true, onDone: (file) => download(file, `${title || shell.untitled}.pdf`) },
  );
  return (
    <div className="stack">
      <FormError>{refusalOf(make.error)?.reason}</FormError>
      <div className="row">
        <Button icon="file" isPending={make.isPending} onPress={() => make.mutate()}>
          {texts.makePdf}
        </Button>
        <span className="muted" role="status">
          {make.isPending && texts.makingPdf}
        </span>
      </div>
    </div>
  );
}
