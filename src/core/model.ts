const MODEL = /^[\w.:/@][\w.:/@-]{0,99}$/;

/** Whether a text can be the name of a model: at most 100 characters, and none that begins like an option. */
export function isModelName(text: string): boolean {
  return MODEL.test(text);
}
