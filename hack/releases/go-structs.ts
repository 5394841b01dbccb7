/** A field of a struct in k8s.io/api, as declarations write it. */
export interface GoField {
  readonly name: string
  /** Line of a declaration, without `since`. */
  readonly line: string
}

/** A struct that is serialized. */
export interface GoStruct {
  readonly name: string
  /** First line of its declaration. */
  readonly head: string
  readonly fields: readonly GoField[]
}

/** Structs and string types of a `types.go`. */
export interface GoTypes {
  readonly structs: ReadonlyMap<string, GoStruct>
  /** Values of string types with the marker `+enum`, sorted. */
  readonly enums: ReadonlyMap<string, readonly string[]>
}

/** Types of other packages that declarations name differently. */
const TYPES: Readonly<Record<string, string>> = {
  'metav1.Time': 'Time',
  'metav1.MicroTime': 'MicroTime',
  'metav1.Duration': 'Duration',
  'resource.Quantity': 'Quantity',
  'runtime.RawExtension': 'RawExtension',
  'intstr.IntOrString': 'IntOrString',
  'types.UID': 'UID',
  '[]byte': 'bytes',
}
/** Prefixes of imported packages. `schedulingv1alpha3` stands for `schedulingV1alpha3`. */
const PACKAGES: Readonly<Record<string, string>> = { metav1: 'meta', v1: 'core', corev1: 'core' }

/** Reads the serialized types of a `types.go`, line by line. Comments above a field have its markers. */
export function readGoTypes(text: string): GoTypes {
  const structs = new Map<string, GoStruct>()
  const enums = new Map<string, string[]>()
  let comments: string[] = []
  let open: { name: string; marks: readonly string[]; typeMeta: boolean; fields: GoField[] } | undefined
  for (const line of text.split('\n')) {
    const comment = /^\s*\/\/\s*(\+.*)$/.exec(line)?.[1]
    if (/^\s*\/\//.test(line)) {
      if (comment !== undefined) comments.push(comment.trim())
      continue
    }
    const struct = /^type (\w+) struct \{(\})?$/.exec(line)
    const text = /^type (\w+) string$/.exec(line)?.[1]
    const value = /^\s+\w+\s+(\w+)\s+= "(.*)"$/.exec(line)
    if (struct?.[1] !== undefined) {
      open = { name: struct[1], marks: comments, typeMeta: false, fields: [] }
      if (struct[2] !== undefined) open = close(structs, open)
    } else if (text !== undefined && comments.includes('+enum')) enums.set(text, [])
    else if (open && line === '}') open = close(structs, open)
    else if (open && /^\s+metav1\.TypeMeta\b/.test(line)) open.typeMeta = true
    else if (open) open.fields.push(...readField(line, comments))
    else if (value?.[1] !== undefined && value[2] !== undefined) enums.get(value[1])?.push(value[2])
    if (line.trim() !== '' || open === undefined) comments = []
  }
  for (const values of enums.values()) values.sort()
  return { structs, enums }
}

function close(
  structs: Map<string, GoStruct>,
  { name, marks, typeMeta, fields }: { name: string; marks: readonly string[]; typeMeta: boolean; fields: GoField[] },
): undefined {
  const form = marks.includes('+structType=atomic') ? ' atomic' : marks.includes('+structType=granular') ? ' granular' : ''
  structs.set(name, { name, head: `type ${name}${typeMeta ? ' typemeta' : ''}${form}`, fields })
  return undefined
}

function readField(line: string, markers: readonly string[]): GoField[] {
  const [, type = '', json = ''] = /^\s+(?:\w+\s+)?(\S+)\s+`json:"([^"]*)"/.exec(line) ?? []
  const number = /protobuf:"\w+,(\d+)/.exec(line)?.[1] ?? '-'
  const [name = '', ...options] = json.split(',')
  if (type === '' || name === '' || name === '-') return []
  const value = (marker: string): string | undefined => markers.find(each => each.startsWith(`+${marker}=`))?.slice(marker.length + 2)
  const omitted = options.includes('omitempty')
  const optional = markers.includes('+optional') || (omitted && !markers.includes('+required'))
  const form = optional ? (omitted ? '?' : ' optional') : omitted ? ' omitempty' : ''
  const marks = [...listMarks(markers, value), ...gateMarks(value)]
  return [{ name, line: [`${name} ${number} ${typeText(type)}${form}`, ...marks].join(' ') + defaultText(value('default')) }]
}

function listMarks(markers: readonly string[], value: (marker: string) => string | undefined): string[] {
  const list = value('listType') ?? value('mapType')
  const keys = markers.filter(each => each.startsWith('+listMapKey=')).map(each => each.slice('+listMapKey='.length))
  const key = value('patchMergeKey')
  const strategies = value('patchStrategy')?.split(',') ?? []
  return [
    ...(list === 'map' ? [`map(${keys.join(',')})`] : list === undefined ? [] : [list]),
    ...strategies.map(strategy => (strategy === 'merge' && key !== undefined ? `merge(${key})` : strategy)),
  ]
}

const gateMarks = (value: (marker: string) => string | undefined): string[] => {
  const gate = value('featureGate')
  return gate === undefined ? [] : [`gate(${gate})`]
}

const defaultText = (json: string | undefined): string => (json === undefined ? '' : ` = ${json}`)

/** Writes a Go type as declarations do: `*metav1.Time` is `*Time`. */
function typeText(type: string): string {
  if (type.startsWith('*')) return `*${typeText(type.slice(1))}`
  if (Object.hasOwn(TYPES, type)) return TYPES[type] ?? type
  if (type.startsWith('[]')) return `[]${typeText(type.slice(2))}`
  const map = /^map\[(\w+)\](.*)$/.exec(type)
  if (map) return `map[string]${typeText(map[2] ?? '')}`
  const [first = '', second] = type.split('.')
  return second === undefined ? first : `${PACKAGES[first] ?? first.replace(/(?<=[a-z])v(?=\d)/, 'V')}.${second}`
}
