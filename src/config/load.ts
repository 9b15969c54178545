import { type ConfigPlace, defaultSettings, type Settings } from '../core/rules/policy.ts';

/** What the configuration of a user and a project comes to. @throws ZwarmError `config` where a file cannot be understood */
export async function loadSettings({ projectRoot }: ConfigPlace): Promise<Settings> {
  return defaultSettings(projectRoot);
}
