import { isJsonObject, type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'

/** Replacement for the values of a Secret. */
const REDACTED = 'REDACTED'

/** Annotations that contain a copy of the object. */
const COPIES = ['kubectl.kubernetes.io/last-applied-configuration']

/** Returns a Secret with redacted values, and any other object unchanged. */
export function withoutSecrets(object: JsonObject): JsonObject {
  if (object.kind !== 'Secret' || object.apiVersion !== 'v1') return object
  const metadata = objectIn(object.metadata)
  return {
    ...object,
    ...(isJsonObject(object.data) && { data: withEach(object.data, Buffer.from(REDACTED).toString('base64')) }),
    ...(isJsonObject(object.stringData) && { stringData: withEach(object.stringData, REDACTED) }),
    metadata: {
      ...metadata,
      ...(isJsonObject(metadata.annotations) && {
        annotations: Object.fromEntries(Object.entries(metadata.annotations).filter(([name]) => !COPIES.includes(name))),
      }),
    },
  }
}

const withEach = (values: JsonObject, instead: Json): JsonObject => Object.fromEntries(Object.keys(values).map(key => [key, instead]))
