import type { ServedResource } from '../catalog/catalog.ts'
import type { TableDefinition } from '../catalog/definition.ts'
import { encodeJson, encodeJsonText, parseJson } from '../codec/json.ts'
import { indentJson } from '../codec/json-indent.ts'
import { JSON_TYPE, YAML_TYPE } from '../codec/negotiate.ts'
import { yamlBytes } from '../codec/yaml.ts'
import { type FilledBody, filledWith, wholeOf } from '../lib/filled-body.ts'
import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import type { JsonObject, KubeObject } from '../meta/object.ts'
import type { Status } from '../meta/status.ts'
import { badRequestError, failure } from '../meta/status.ts'
import { copyIn } from '../registry/convert.ts'
import type { ListResult } from '../registry/read.ts'
import type { Answer } from '../registry/types.ts'
import { decode } from '../schema/decode.ts'
import type { StructSchema } from '../schema/schema.ts'
import { binaryOf } from './binary-output.ts'
import { indentedBody } from './indented-body.ts'
import { listBody, listMeta } from './list-body.ts'
import { statusText } from './meta-json.ts'
import type { Output } from './negotiate.ts'
import { typeMetaOf } from './protobuf-output.ts'
import { isCustom, type Scope } from './scope.ts'
import type { IncludeObject } from './table.ts'
import { DEFAULT_TABLE, partialMetadata, renderPartialList, renderTable } from './table.ts'

const NEWLINE = Buffer.from('\n')

const sendBinary = (scope: Scope, output: Output, code: number, body: Buffer | readonly Buffer[] | FilledBody): Promise<void> =>
  scope.exchange.sendBytes(code, output.mediaType, body)

/** Longer than this, JSON is indented while it is sent. */
const INDENT_AT_ONCE = 64 * 1024

/** Sends JSON that is ready, in the form that was negotiated. */
async function send(scope: Scope, output: Output, code: number, json: readonly Buffer[]): Promise<void> {
  const { exchange } = scope
  const length = json.reduce((bytes, part) => bytes + part.length, 0)
  if (output.mediaType === 'application/yaml') {
    await exchange.sendBytes(code, 'application/yaml', yamlBytes(parseJson(Buffer.concat(json)).value))
  } else if (output.pretty && length > INDENT_AT_ONCE) {
    await exchange.sendBytes(code, 'application/json', await indentedBody(() => filledWith(json, length)))
  } else if (output.pretty) {
    await exchange.sendBytes(code, 'application/json', indentJson(Buffer.concat(json)))
  } else {
    await exchange.sendBytes(code, 'application/json', json.length === 1 ? (json[0] as Buffer) : json)
  }
}

export async function respondObject(scope: Scope, output: Output, code: number, answer: Answer): Promise<void> {
  const { version } = scope.served
  const convert = output.as
  if (convert) return respondConverted(scope, output, code, 'stored' in answer ? answer.stored.object() : answer.object)
  if ('stored' in answer) {
    const binary = binaryOf(output.mediaType)
    if (binary) return sendBinary(scope, output, code, binary.storedBody(version, answer.stored))
    return send(scope, output, code, [answer.stored.json().bytes, NEWLINE])
  }
  return respondTyped(scope, output, code, version.schema, answer.object)
}

/** An object that is not stored (dry-run, deleted, a view): normalised and encoded here. */
export async function respondTyped(scope: Scope, output: Output, code: number, schema: StructSchema, object: KubeObject): Promise<void> {
  if (output.as) return respondConverted(scope, output, code, object)
  if (turnIsLong()) await nextLongTurn()
  const binary = binaryOf(output.mediaType)
  if (binary) return sendBinary(scope, output, code, binary.objectBody(schema, object))
  const { kind, apiVersion } = object
  const normal = { kind, apiVersion, ...decode(schema, object as unknown as JsonObject) } as unknown as KubeObject
  if (turnIsLong()) await nextLongTurn()
  await send(scope, output, code, [encodeJson(schema, normal), NEWLINE])
}

async function respondConverted(scope: Scope, output: Output, code: number, object: KubeObject): Promise<void> {
  const convert = output.as as NonNullable<Output['as']>
  if (convert.kind === 'PartialObjectMetadataList')
    throw failure(406, 'NotAcceptable', `you requested PartialObjectMetadataList, but the requested object is not a list (*${goType(scope)})`)
  if (convert.kind === 'Table') {
    const { resourceVersion } = object.metadata
    const open = await renderTable(
      tableOf(scope),
      resourceVersion === undefined ? {} : { resourceVersion },
      [{ object: () => object }],
      tableOptions(scope, output),
    )
    return send(scope, output, code, [wholeOf(open())])
  }
  const apiVersion = `${convert.group}/${convert.version}`
  const binary = binaryOf(output.mediaType)
  if (binary) return sendBinary(scope, output, code, binary.partialBody(object, apiVersion))
  await send(scope, output, code, [Buffer.from(`${partialMetadata(object, apiVersion)}\n`)])
}

const goType = (scope: Scope): string => (isCustom(scope.served) ? 'unstructured.Unstructured' : `${goPackage(scope)}.${scope.served.version.kind}`)
const goListType = (scope: Scope): string => (isCustom(scope.served) ? 'unstructured.UnstructuredList' : `${goPackage(scope)}.${scope.served.version.kind}List`)
const goPackage = (scope: Scope): string => (scope.served.version.group === '' ? 'core' : (scope.served.version.group.split('.')[0] as string))

export async function respondList(scope: Scope, output: Output, result: ListResult): Promise<void> {
  const { version } = scope.served
  const convert = output.as
  const meta = listMeta(result)
  const binary = binaryOf(output.mediaType)
  if (!convert && binary) return sendBinary(scope, output, 200, await binary.listBody(version, meta, result.items))
  if (!convert) {
    return sendFilled(scope, output, await listBody(version, meta, result.items))
  }
  if (convert.kind === 'Table') return sendFilled(scope, output, await renderTable(tableOf(scope), meta, result.items, tableOptions(scope, output)))
  const apiVersion = `${convert.group}/${convert.version}`
  if (convert.kind === 'PartialObjectMetadata')
    throw failure(406, 'NotAcceptable', `you requested PartialObjectMetadata, but the requested object is a list (*${goListType(scope)})`)
  if (binary) return sendBinary(scope, output, 200, await binary.partialListBody(meta, result.items, apiVersion))
  await sendFilled(scope, output, await renderPartialList(meta, result.items, apiVersion))
}

/** JSON that is made while it is sent, in the form that was negotiated. */
async function sendFilled(scope: Scope, output: Output, open: () => FilledBody): Promise<void> {
  const body = open()
  if (output.mediaType !== JSON_TYPE) return send(scope, output, 200, [wholeOf(body)])
  if (!output.pretty) return scope.exchange.sendBytes(200, JSON_TYPE, body)
  return body.length > INDENT_AT_ONCE ? scope.exchange.sendBytes(200, JSON_TYPE, await indentedBody(open)) : send(scope, output, 200, [wholeOf(body)])
}

/** A list whose items are not stored. */
export interface PlainList {
  readonly items: readonly KubeObject[]
}

export async function respondPlainList(scope: Scope, output: Output, { items }: PlainList): Promise<void> {
  const { version } = scope.served
  const { kind, apiVersion } = typeMetaOf(version)
  if (output.as?.kind === 'Table') {
    const rows = items.map(item => ({ object: () => ({ ...item, kind, apiVersion }) }))
    return sendFilled(scope, output, await renderTable(tableOf(scope), {}, rows, tableOptions(scope, output)))
  }
  if (output.as) throw failure(406, 'NotAcceptable', `only the following media types are accepted: ${JSON_TYPE}, ${YAML_TYPE}`)
  const binary = binaryOf(output.mediaType)
  if (binary) return sendBinary(scope, output, 200, await binary.plainListBody(version, items))
  const texts = items.map(item => encodeJsonText(version.schema, decode(version.schema, item as unknown as JsonObject)))
  await send(scope, output, 200, [Buffer.from(`{"kind":"${kind}List","apiVersion":"${apiVersion}","metadata":{},"items":[${texts.join(',')}]}\n`)])
}

/** Of the resource, or of the subresource where that is of another kind. */
export const tableOf = ({ served, subresource }: Scope): TableDefinition => (subresource?.kind ? subresource.kind.table : versionTable(served)) ?? DEFAULT_TABLE

/** The version's own, or that of the home version over the converted object. */
function versionTable({ definition, version }: ServedResource): TableDefinition | undefined {
  const { home } = definition
  if (version.table !== undefined || version === home || home.table === undefined) return version.table
  const { columns, cells, conditions } = home.table
  return {
    columns,
    cells: (object, now) => cells(copyIn(definition, object, home), now),
    ...(conditions && { conditions: (object: KubeObject) => conditions(copyIn(definition, object, home)) }),
  }
}

export function tableOptions(scope: Scope, output: Output) {
  const include = scope.exchange.search === '' ? '' : (scope.exchange.query.get('includeObject') ?? '')
  if (include !== '' && include !== 'None' && include !== 'Metadata' && include !== 'Object') {
    const why = `includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`
    throw badRequestError(`Unable to convert to Table as requested: ${why}`)
  }
  const as = output.as as NonNullable<Output['as']>
  return { includeObject: (include === '' ? 'Metadata' : include) as IncludeObject, version: as.version, group: as.group, now: scope.env.clock.now() }
}

/** A Status as the answer to a success. */
export async function respondStatus(scope: Scope, output: Output, code: number, status: Omit<Status, 'code'> & { code?: number }): Promise<void> {
  const binary = binaryOf(output.mediaType)
  if (binary) return sendBinary(scope, output, code, binary.statusBody(status))
  await send(scope, output, code, [Buffer.from(`${statusText(status)}\n`)])
}
