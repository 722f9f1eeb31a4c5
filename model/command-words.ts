/**
 * The words of a command: its operands, then its options. An operand that begins as options do stands behind `--`, and the
 * options before that.
 */
export function commandWords(
  command: string,
  operands: readonly string[],
  options: readonly string[],
): readonly string[] {
  return operands.some(looksLikeOption)
    ? [command, ...options, '--', ...operands]
    : [command, ...operands, ...options]
}

/** An option that takes one or more values; a value that begins as options do is tied to it. */
export function optionWords(option: string, values: readonly string[]): readonly string[] {
  return values.some(looksLikeOption) ? values.map((value) => `${option}=${value}`) : [option, ...values]
}

function looksLikeOption(word: string): boolean {
  return word.length > 1 && word.startsWith('-')
}
