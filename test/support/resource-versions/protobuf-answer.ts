import protobuf from 'protobufjs/minimal.js'

/**
 * A message as its numbered fields, read without a schema: just enough to tell what a list, an event or a Status says.
 */
type Fields = ReadonlyMap<number, readonly (Buffer | number)[]>

function fieldsOf(message: Uint8Array): Fields {
  const fields = new Map<number, (Buffer | number)[]>()
  for (const reader = protobuf.Reader.create(message); reader.pos < reader.len; ) {
    const tag = reader.uint32()
    const value = (tag & 7) === 2 ? Buffer.from(reader.bytes()) : (tag & 7) === 0 ? Number(reader.int64()) : reader.skipType(tag & 7) && 0
    fields.set(tag >>> 3, [...(fields.get(tag >>> 3) ?? []), value as Buffer | number])
  }
  return fields
}

const text = (fields: Fields, number: number): string => (fields.get(number)?.[0] ?? '').toString()
const integer = (fields: Fields, number: number): number => Number(fields.get(number)?.[0] ?? 0)
const message = (fields: Fields, number: number): Fields => fieldsOf((fields.get(number)?.[0] ?? Buffer.alloc(0)) as Buffer)
const messages = (fields: Fields, number: number): Fields[] => (fields.get(number) ?? []).map(one => fieldsOf(one as Buffer))
const given = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== '' && value !== 0 && value !== undefined))

const pairs = (fields: Fields, number: number): Record<string, string> =>
  Object.fromEntries(messages(fields, number).map(entry => [text(entry, 1), text(entry, 2)]))

const objectMeta = (fields: Fields) => {
  const annotations = pairs(fields, 12)
  return {
    ...given({ name: text(fields, 1), namespace: text(fields, 3), resourceVersion: text(fields, 6) }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  }
}

const listMeta = (fields: Fields): object =>
  given({ resourceVersion: text(fields, 2), continue: text(fields, 3), remainingItemCount: integer(fields, 4) })

function status(fields: Fields): object {
  const details = message(fields, 5)
  const causes = messages(details, 4).map(cause => given({ reason: text(cause, 1), message: text(cause, 2), field: text(cause, 3) }))
  const told = given({ name: text(details, 1), group: text(details, 2), kind: text(details, 3), retryAfterSeconds: integer(details, 5) })
  return {
    metadata: listMeta(message(fields, 1)),
    ...given({ status: text(fields, 2), message: text(fields, 3), reason: text(fields, 4), code: integer(fields, 6) }),
    ...(fields.has(5) && { details: { ...told, ...(causes.length > 0 && { causes }) } }),
  }
}

/** An object, a list or a Status in its envelope, as JSON would say it: metadata, and of a Status all. */
export function protobufAnswer(body: Buffer): object {
  if (body.subarray(0, 4).toString('latin1') !== 'k8s\0') throw new Error('there is no envelope')
  const envelope = fieldsOf(body.subarray(4))
  const kind = text(message(envelope, 1), 2)
  const inside = message(envelope, 2)
  if (kind === 'Status') return { kind, ...status(inside) }
  if (!kind.endsWith('List')) return { kind, metadata: objectMeta(message(inside, 1)) }
  return {
    kind,
    metadata: listMeta(message(inside, 1)),
    items: messages(inside, 2).map(item => ({ metadata: objectMeta(message(item, 1)) })),
  }
}

/** The whole frames of a watch. */
export function* protobufEvents(bytes: Buffer): Generator<{ type: string; object: object }> {
  for (let at = 0; at + 4 <= bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at)
    if (end > bytes.length) return
    const event = fieldsOf(bytes.subarray(at + 4, end))
    yield { type: text(event, 1), object: protobufAnswer(message(event, 2).get(1)?.[0] as Buffer) }
    at = end
  }
}
