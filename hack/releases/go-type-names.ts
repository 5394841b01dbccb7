/** Names of Go types in a package, as far as declarations write them differently. */
export interface TypeNames {
  /** Packages by the name under which files import them: `v1` is `core`. */
  readonly imports: ReadonlyMap<string, string>
  /** Named types that are written in full: `ExtraValue` is `[]string`. */
  readonly aliases: ReadonlyMap<string, string>
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
  'types.NodeName': 'string',
  '[]byte': 'bytes',
}

/** Packages that every file may import under these names. */
const PACKAGES: Readonly<Record<string, string>> = { metav1: 'meta', v1: 'core', corev1: 'core' }

/** Named types of core that are maps. */
const IMPORTED_ALIASES: Readonly<Record<string, string>> = { 'core.ResourceList': 'map[string]Quantity' }

/** Writes a Go type without its pointer as declarations do: `[]metav1.Time` is `[]Time`. */
export function goTypeText(type: string, names: TypeNames): string {
  if (Object.hasOwn(TYPES, type)) return TYPES[type] ?? type
  if (type.startsWith('[]'))
    return type.startsWith('[]*') ? `[]*${goTypeText(type.slice(3), names)}` : `[]${goTypeText(type.slice(2), names)}`
  const map = /^map\[[\w.]+\](.*)$/.exec(type)
  if (map) return `map[string]${goTypeText((map[1] ?? '').replace(/^\*/, ''), names)}`
  const [first = '', second] = type.split('.')
  if (second !== undefined) {
    const imported = names.imports.get(first)
    const written = TYPES[`${imported}.${second}`]
    if (written !== undefined) return written
    const name = `${imported ?? PACKAGES[first] ?? first.replace(/(?<=[a-z])v(?=\d)/, 'V')}.${second}`
    return IMPORTED_ALIASES[name] ?? name
  }
  const alias = names.aliases.get(type)
  return alias === undefined ? type : goTypeText(alias, names)
}
