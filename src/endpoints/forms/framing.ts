import type { StatusError } from '../../meta/status.ts'
import type { MessageForm } from '../../protocols/websocket/message-stream.ts'
import type { StoredObject } from '../../storage/storage.ts'

/** How one watch turns events into frames. Frames of one event are shared by all watches of the same framing. */
export interface Framing {
  readonly contentType: string
  /** As messages of a WebSocket. */
  readonly messages: MessageForm
  /** Frames are shared between watches with the same id; undefined: never. */
  readonly id: string | undefined
  /** Undefined: the form cannot show an object, and the stream ends. */
  object(type: string, object: StoredObject): Buffer | undefined
  /** What the frame is copied together from, not to be changed; undefined: it is better made once for all. */
  pieces?(type: string, object: StoredObject): readonly Buffer[] | undefined
  /** Writes the frame into the memory and returns where it ends; 0: it does not fit. */
  into?(type: string, object: StoredObject, memory: Buffer, at: number): number
  /** A bookmark of the served kind at the revision. */
  bookmark(resourceVersion: string, initialEnd: boolean): Buffer
  error(error: StatusError): Buffer
}
