/*
 * How messages leave the server. All of it is in the database: a node claims a receiver for a while and sends its
 * messages one after another, so no two nodes send to one receiver at a time, and a node that is killed loses nothing.
 */

/** `claim`: names the claim; `until`: when it ends unless it is renewed. */
export type Lease = { claim: string; now: string; until: string }

/** Names a receiver. */
export type ReceiverPlace = { id: string }

/** A call that was made. */
export type SentCall<Message, Outcome> = { claim: string; message: Message; outcome: Outcome; now: Date }

export interface Outbox<Place extends ReceiverPlace, Message, Outcome> {
  /** Receivers with a message to send now that no node has claimed, the longest waiting first, and none of what has no
   * room beside those that this node sends to. */
  due(now: string, running: readonly Place[]): Promise<readonly Place[]>
  /** False when another node was faster. */
  claim(place: Place, lease: Lease): Promise<boolean>
  /** The next message of a claimed receiver, marked as being sent; null when none is due or the claim is over. Renews
   * the claim. */
  next(place: Place, lease: Lease): Promise<Message | null>
  /** Note what became of a call. Does nothing when the claim is over.
   * @returns whether the receiver can get more now */
  settle(place: Place, sent: SentCall<Message, Outcome>): Promise<boolean>
  /** Give a receiver back, with the message that was not sent to its end. */
  release(place: Place, claim: string): Promise<void>
}
