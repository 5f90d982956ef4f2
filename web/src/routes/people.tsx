export default function Page(_: { organization: string; space?: string; collection?: string }) {
  return null;
}
