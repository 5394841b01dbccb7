import type { Taint } from '../../api/core/v1.types.ts'
import type { Json } from '../../api/meta/object.ts'
import { objectIn } from '../../api/meta/object.ts'
import { parseYaml } from '../../codec/yaml.ts'
import { type FieldError, fieldErrorText, invalid, notSupported, required } from '../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../meta/field-path.ts'
import { isQualifiedName, isValidLabelValue, nameIsDnsSubdomain } from '../../meta/names.ts'
import { validateAnnotations, validateLabels } from '../../meta/object-meta-validation.ts'
import { parseQuantity, QuantityError } from '../../meta/quantity.ts'
import { FieldReader } from '../kwok/field-reader.ts'
import type { NodePool } from '../shared/node-pool.ts'
import { DEFAULT_RESOURCES, nodeName } from './node-objects.ts'

/** `apiVersion` and `kind` of a file of node pools. */
export const POOLS_API_VERSION = 'binnacle.dev/v1alpha1'
export const POOLS_KIND = 'NodePools'

/** Number of nodes that a file may describe. */
const MOST_NODES = 100_000
/** Effects of a taint. */
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const

/** A file of node pools that cannot be used. The message lists every invalid field. */
export class NodePoolsError extends Error {
  override readonly name = 'NodePoolsError'
}

/** Members that a template and a pool share. Undefined members are taken from the template, or have defaults. */
interface Template {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly taints: readonly Taint[]
  readonly capacity: Readonly<Record<string, string>>
  readonly allocatable: Readonly<Record<string, string>>
  readonly zones: readonly string[] | undefined
  readonly region: string | undefined
  readonly os: string | undefined
  readonly architecture: string | undefined
}

/** Template of a pool that names none. */
const EMPTY: Template = {
  labels: {},
  annotations: {},
  taints: [],
  capacity: {},
  allocatable: {},
  zones: undefined,
  region: undefined,
  os: undefined,
  architecture: undefined,
}

/**
 * Parses a file of templates and pools of nodes. Throws YamlError, or NodePoolsError, which lists every invalid field.
 */
export const parseNodePools = (bytes: Buffer): NodePool[] => decodeNodePools(parseYaml(bytes).value as Json)

/** Decodes templates and pools of nodes. Throws NodePoolsError, which lists every invalid field. */
export function decodeNodePools(value: Json): NodePool[] {
  const errors: FieldError[] = []
  const root = new FieldReader(objectIn(value), fieldPath(), errors)
  const apiVersion = root.text('apiVersion')
  if (apiVersion !== POOLS_API_VERSION) root.report(notSupported(fieldPath('apiVersion'), apiVersion ?? '', [POOLS_API_VERSION]))
  root.oneOf('kind', [POOLS_KIND])
  if (!root.has('kind')) root.report(required(fieldPath('kind')))
  const templates = new Map<string, Template>()
  for (const reader of root.objects('templates')) {
    const name = reader.requiredText('name')
    if (templates.has(name)) reader.report(invalid(reader.path.child('name'), name, 'must be unique'))
    templates.set(name, decodeTemplate(reader))
    reader.rejectOthers()
  }
  const readers = root.objects('pools')
  if (readers.length === 0) root.report(required(fieldPath('pools'), 'a file describes at least one pool'))
  const pools = readers.map(reader => decodePool(reader, templates))
  root.rejectOthers()
  if (errors.length === 0) checkNames(pools, errors)
  if (errors.length > 0) throw new NodePoolsError(errors.map(fieldErrorText).join('; '))
  return pools
}

/** Decodes a pool, and joins it with its template. Allocatable resources default to the capacity. */
function decodePool(reader: FieldReader, templates: ReadonlyMap<string, Template>): NodePool {
  const name = reader.text('name')
  const namePrefix = reader.text('namePrefix') ?? (name === undefined ? undefined : `${name}-`)
  if (namePrefix === undefined) reader.report(required(reader.path.child('name'), 'a pool has a name or a namePrefix'))
  const count = reader.integer('count', 0, MOST_NODES)
  if (!reader.has('count')) reader.report(required(reader.path.child('count')))
  const templateName = reader.text('template')
  const template = templateName === undefined ? EMPTY : templates.get(templateName)
  if (template === undefined) reader.report(notSupported(reader.path.child('template'), templateName ?? '', [...templates.keys()]))
  const merged = merge(template ?? EMPTY, decodeTemplate(reader))
  reader.rejectOthers()
  for (const message of namePrefix === undefined ? [] : nameIsDnsSubdomain(`${namePrefix}1`, false))
    reader.report(invalid(reader.path.child(reader.has('namePrefix') ? 'namePrefix' : 'name'), namePrefix ?? '', message))
  const capacity = { ...DEFAULT_RESOURCES, ...merged.capacity }
  return {
    namePrefix: namePrefix ?? '',
    count: count ?? 0,
    labels: { ...(name !== undefined && { 'binnacle.dev/pool': name }), ...merged.labels },
    annotations: merged.annotations,
    taints: merged.taints,
    capacity,
    allocatable: { ...capacity, ...merged.allocatable },
    zones: merged.zones ?? [],
    region: merged.region ?? '',
    os: merged.os ?? 'linux',
    architecture: merged.architecture ?? 'amd64',
  }
}

/** Maps are joined, and so are taints. Other members of the pool replace those of the template. */
const merge = (template: Template, pool: Template): Template => ({
  labels: { ...template.labels, ...pool.labels },
  annotations: { ...template.annotations, ...pool.annotations },
  taints: [
    ...template.taints.filter(old => !pool.taints.some(({ key, effect }) => key === old.key && effect === old.effect)),
    ...pool.taints,
  ],
  capacity: { ...template.capacity, ...pool.capacity },
  allocatable: { ...template.allocatable, ...pool.allocatable },
  zones: pool.zones ?? template.zones,
  region: pool.region ?? template.region,
  os: pool.os ?? template.os,
  architecture: pool.architecture ?? template.architecture,
})

/** Decodes the members that templates and pools share. */
function decodeTemplate(reader: FieldReader): Template {
  const labels = textsByName(reader, 'labels')
  const annotations = textsByName(reader, 'annotations')
  for (const error of validateLabels(labels, reader.path.child('labels'))) reader.report(error)
  for (const error of validateAnnotations(annotations, reader.path.child('annotations'))) reader.report(error)
  const zones = reader.has('zones') ? reader.texts('zones') : undefined
  const region = reader.text('region')
  for (const [i, zone] of zones?.entries() ?? []) checkLabelValue(reader, reader.path.child('zones').index(i), zone)
  if (region !== undefined) checkLabelValue(reader, reader.path.child('region'), region)
  return {
    labels,
    annotations,
    taints: reader.objects('taints').map(decodeTaint),
    capacity: resourcesOf(reader, 'capacity'),
    allocatable: resourcesOf(reader, 'allocatable'),
    zones,
    region,
    os: reader.oneOf('os', ['linux', 'windows']),
    architecture: reader.text('architecture'),
  }
}

function checkLabelValue(reader: FieldReader, path: FieldPath, value: string): void {
  for (const message of isValidLabelValue(value)) reader.report(invalid(path, value, message))
}

/** Decodes a taint, which must have a key and an effect. */
function decodeTaint(reader: FieldReader): Taint {
  const key = reader.requiredText('key')
  const value = reader.text('value')
  const effect = reader.oneOf('effect', EFFECTS)
  if (!reader.has('effect')) reader.report(required(reader.path.child('effect')))
  for (const message of key === '' ? [] : isQualifiedName(key)) reader.report(invalid(reader.path.child('key'), key, message))
  if (value !== undefined) checkLabelValue(reader, reader.path.child('value'), value)
  reader.rejectOthers()
  return { key, ...(value !== undefined && { value }), effect: effect ?? 'NoSchedule' }
}

const textsByName = (reader: FieldReader, name: string): Record<string, string> => Object.fromEntries(reader.textMap(name) ?? [])

/** Amounts of resources. A number counts as its text: `cpu: 4`. */
function resourcesOf(reader: FieldReader, name: string): Record<string, string> {
  const amounts = reader.object(name)
  if (amounts === undefined) return {}
  return Object.fromEntries(
    amounts.names().map(resource => {
      const amount = amounts.amount(resource)
      for (const message of isQualifiedName(resource)) amounts.report(invalid(amounts.path.key(resource), resource, message))
      if (amount !== undefined) checkQuantity(amounts, resource, amount)
      return [resource, amount ?? '0']
    }),
  )
}

/** Reports an amount that is negative or not a quantity. */
function checkQuantity(amounts: FieldReader, resource: string, amount: string): void {
  const path = amounts.path.key(resource)
  try {
    if (parseQuantity(amount).value < 0n) amounts.report(invalid(path, amount, 'must be greater than or equal to 0'))
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    amounts.report(invalid(path, amount, 'must be a quantity, such as 500m or 16Gi'))
  }
}

/** Reports pools whose nodes would have the same names, and too many nodes. */
function checkNames(pools: readonly NodePool[], errors: FieldError[]): void {
  const total = pools.reduce((sum, { count }) => sum + count, 0)
  if (total > MOST_NODES)
    return void errors.push(invalid(fieldPath('pools'), total, `all pools together must have at most ${MOST_NODES} nodes`))
  const names = new Set<string>()
  for (const [i, pool] of pools.entries())
    for (let index = 1; index <= pool.count; index++) {
      const name = nodeName(pool, index)
      if (names.has(name)) {
        errors.push(invalid(fieldPath('pools').index(i).child('namePrefix'), pool.namePrefix, `node ${name} belongs to an earlier pool`))
        break
      }
      names.add(name)
    }
}
