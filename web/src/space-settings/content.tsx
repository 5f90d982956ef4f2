import type { SettingsProps } from ".";
export default function Content(_: SettingsProps) {
  return null;
}
