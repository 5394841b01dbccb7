import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gatheredStream } from '../../lib/gathered-stream.ts'
import type { Wire } from './wire.ts'

/** Sends the response of another server as it arrives. If it breaks off, the connection or stream is closed. */
export async function sendRelayed(wire: Wire, status: number, headers: string[], body: Readable): Promise<void> {
  try {
    wire.head(status, headers, undefined)
    await pipeline(gatheredStream(body), wire.sink())
  } catch {
    // Either side broke off, or the backend's response is malformed: it cannot be completed.
    body.destroy()
    wire.destroy()
  }
}
