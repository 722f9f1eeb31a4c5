/** What the operating system says is wrong, in its words alone: its code, the call and the inner place say nothing to a reader. */
export function systemWords({ message }: Pick<Error, 'message'>): string {
  return message.replace(/^E[A-Z]+: ([\s\S]*?), \w+( '[\s\S]*)?$/, '$1')
}
