/** What is wrong with a text that cannot be understood, or cannot be edited safely. The message completes `FILE: `. */
export class TextProblem extends Error {
  override readonly name = 'TextProblem';
}
