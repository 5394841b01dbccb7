import type { StatusError } from '../../../meta/status.ts'
import type { Framing } from '../framing.ts'
import { statusText } from '../meta-v1.ts'

/** Returns a watch event as a line of JSON. `object`: the JSON of its object. */
export const textFrame = (type: string, object: string): Buffer => Buffer.from(`{"type":"${type}","object":${object}}\n`)

/** Returns the bytes of a frame before its object. */
export const textFrameStart = (type: string): Buffer => Buffer.from(`{"type":"${type}","object":`)

/** The bytes of a frame behind its object. */
export const FRAME_END = Buffer.from('}\n')

/** Members that the framings of all views have in common. */
export const TEXT_FRAMES = {
  contentType: 'application/json',
  messages: { text: true, leadBytes: 0 },
  error: (error: StatusError): Buffer => textFrame('ERROR', statusText(error.status)),
} satisfies Partial<Framing>

/** Returns the empty list that shows a client the form of lists (the blueprint). */
export const textBlueprint = (kind: string, apiVersion: string): Buffer =>
  Buffer.from(`{"kind":"${kind}List","apiVersion":"${apiVersion}","metadata":{},"items":null}\n`)
