import { decodedObject, type KubeObject } from '../../../api/meta/object.ts'
import { encodeJsonInSteps, encodeJsonText } from '../../../codec/json.ts'
import { runInTurns } from '../../../lib/steps.ts'
import { decode, decodeInSteps } from '../../../schema/decode.ts'
import type { StructSchema } from '../../../schema/schema.ts'
import { typeMetaOf, wholeListMeta } from '../meta-v1.ts'
import type { TextView } from '../text/text-form.ts'
import { listBody } from './list-body.ts'
import { textObjectFraming } from './text-object-framing.ts'

const NEWLINE = Buffer.from('\n')

/** View of whole objects, from their stored bytes. */
export const textObjects: TextView = {
  stored: (_scope, stored) => [stored.json().bytes, NEWLINE],
  object: (_scope, schema, object) => objectText(schema, object),
  list: ({ served }, result) => listBody(served.version, wholeListMeta(served.version, result), result.items),
  plainList({ served: { version } }, items) {
    const { kind, apiVersion } = typeMetaOf(version)
    const texts = items.map(item => encodeJsonText(version.schema, decode(version.schema, item)))
    return [Buffer.from(`{"kind":"${kind}List","apiVersion":"${apiVersion}","metadata":{},"items":[${texts.join(',')}]}\n`)]
  },
  framing: textObjectFraming,
}

/** Normalizes and encodes an object that is not stored. */
export async function objectText(schema: StructSchema, object: KubeObject): Promise<Buffer[]> {
  const { kind, apiVersion } = object
  const normal = decodedObject({ kind, apiVersion, ...(await runInTurns(decodeInSteps(schema, object))) })
  return [await runInTurns(encodeJsonInSteps(schema, normal)), NEWLINE]
}
