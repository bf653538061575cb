/** Why the program does not start. The message is one line for the person at the terminal; it contains no secret. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
