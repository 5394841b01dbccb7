import type { StatusError } from '../../meta/status.ts'
import type { MessageForm } from '../../protocols/websocket/message-stream.ts'
import type { StoredObject } from '../../storage/storage.ts'

/** Converts the events of a watch to frames. All watches with the same framing share the frames of an event. */
export interface Framing {
  readonly contentType: string
  /** How frames are sent as WebSocket messages. */
  readonly messages: MessageForm
  /** Watches with the same id share frames. Undefined if frames are not shared. */
  readonly id: string | undefined
  /** Returns the frame of an object. Undefined if the form cannot represent it; the stream ends then. */
  object(type: string, object: StoredObject): Buffer | undefined
  /**
   * Optional. Returns a function that makes, in turns, the frame that `object` then returns for this event. Undefined
   * if `object` is fast. Only for frames that are not shared.
   */
  prepare?(type: string, object: StoredObject): (() => Promise<void>) | undefined
  /**
   * Returns the parts from which the frame is copied, which must not be modified. Undefined if the frame is better made
   * once for all watches.
   */
  pieces?(type: string, object: StoredObject): readonly Buffer[] | undefined
  /** Writes the frame into memory. Returns its end, or 0 if it does not fit. */
  into?(type: string, object: StoredObject, memory: Buffer, at: number): number
  /** Returns the frame of a bookmark of the served kind. */
  bookmark(resourceVersion: string, initialEnd: boolean): Buffer
  error(error: StatusError): Buffer
}
