import type { Json, ObjectMeta } from '../../api/meta/object.ts'
import type { LabelSelector } from '../../api/meta/v1.types.ts'
import { quote } from '../../lib/go-quote.ts'
import { type DiffLine, ELLIPSIS, type Sign, type Text } from './go-text.ts'
import { type GoScalar, type GoType, goMembers, goTypeName, isGoZero, isNil } from './go-type.ts'

/** Limits what is shown of a value. */
export interface Options {
  /** Sides that are shown: both, what they have in common, or one. */
  readonly side: 'both' | 'same' | Sign
  /** Where types are shown before values: everywhere, only if nothing else shows them, or nowhere. */
  readonly types: 'all' | 'unclear' | 'none'
  /** Number of items before an ellipsis grows with it. Undefined for no limit. */
  readonly detail: number | undefined
}

/** Formats the value of one side like go-cmp: without zero members, and truncated by the detail. */
export function valueText(type: GoType, value: Json | undefined, options: Options, parent: GoType['kind'] | undefined): Text {
  const detail = options.detail
  const most = detail === undefined ? Number.POSITIVE_INFINITY : ((1 << detail) >> 1) << 2
  const inner = { ...options, detail: detail === undefined ? undefined : Math.max(detail - 1, 0) }
  if (type.kind === 'pointer') {
    if (isNil(value)) return 'nil'
    const own = printsItself(type.to, value)
    return own === undefined
      ? { before: '&', text: valueText(type.to, value, options, 'pointer'), after: '' }
      : `s${stringText(own, detail)}`
  }
  if (type.kind === 'scalar') return goValueScalar(type, value, options, parent)
  if (type.kind !== 'struct' && isNil(value)) return 'nil'
  const lines = limitLines(valueLines(type, value, inner, most + 1), most)
  return typed(type, { before: '{', text: { lines }, after: '}' }, options)
}

/** Adds the type before a value in braces. */
const typed = (type: GoType, text: Text, { types, side }: Options): Text =>
  types === 'none' || (types === 'unclear' && side === 'same') ? text : { before: goTypeName(type), text, after: '' }

/** Replaces omitted items by an ellipsis without a count. */
const limitLines = (lines: readonly DiffLine[], most: number): DiffLine[] =>
  lines.length > most ? [...lines.slice(0, most), { sign: '', name: '', text: ELLIPSIS }] : [...lines]

/**
 * Formats the parts of a value. `most`: limit on the items, one more than are shown, so that the caller sees whether
 * any are omitted.
 */
function valueLines(
  type: Exclude<GoType, { kind: 'pointer' | 'scalar' }>,
  value: Json | undefined,
  options: Options,
  most: number,
): DiffLine[] {
  const line = (name: string, of: GoType, item: Json | undefined, types: Options['types']): DiffLine => ({
    sign: '',
    name,
    text: valueText(of, item, { ...options, types }, type.kind),
  })
  const members = goMembers(value, type.kind === 'struct' ? type : {})
  switch (type.kind) {
    case 'struct':
      return type.fields.flatMap(field => {
        const item = field.get(members)
        return isGoZero(field.type, item) ? [] : [line(field.name, field.type, item, 'unclear')]
      })
    case 'slice':
      return (Array.isArray(value) ? value : []).slice(0, most).map(item => line('', type.of, item, 'none'))
    case 'map':
      return Object.keys(members)
        .sort()
        .slice(0, most)
        .map(key => line(`${type.keysPrint ? 's' : ''}${quote(key)}`, type.of, members[key], 'none'))
  }
}

/** Quotes a string like strconv.Quote, or as a raw literal if that is shorter. */
function stringText(text: string, detail: number | undefined): string {
  const most = detail === undefined ? text.length : (1 << detail) << 5
  const [shown, more] = text.length > most + ELLIPSIS.length ? [text.slice(0, most), ELLIPSIS] : [text, '']
  const quoted = quote(shown)
  return (quoted.length > shown.length + 2 && !/[`\n]|[^\P{C}\t]/u.test(shown) ? `\`${shown}\`` : quoted) + more
}

/** Formats a scalar. A type with a String method is formatted by it, with an `s` before the text. */
function goValueScalar(type: GoScalar, value: Json | undefined, options: Options, parent: GoType['kind'] | undefined): Text {
  switch (type.scalar) {
    case 'string': {
      const text = typeof value === 'string' ? value : ''
      return type.name === 'core.ResourceName' ? `s${quote(text)}` : stringText(text, options.detail)
    }
    case 'boolean':
      return String(value === true)
    case 'integer':
    case 'number':
      return String(isNil(value) ? 0 : value)
    case 'time':
    case 'microTime':
      return `s${quote(typeof value === 'string' ? value : '')}`
    default:
      return isNil(value) ? 'nil' : parent === 'pointer' ? '{...}' : `${type.name}{...}`
  }
}

/** Returns the text of a type's own String method behind a pointer. */
function printsItself(type: GoType, value: Json): string | undefined {
  if (type.kind !== 'struct') return undefined
  if (type.open) return String(value)
  if (type.name === 'v1.LabelSelector') return selectorText(goMembers(value))
  return type.name === 'core.PersistentVolumeClaimTemplate' ? metadataText(goMembers(goMembers(value).metadata)) : undefined
}

/**
 * Formats ObjectMeta like its generated String method, which types that embed it inherit. Only for templates, which
 * have at most a name, labels and annotations.
 */
function metadataText({ name = '', generateName = '', labels, annotations, ...rest }: ObjectMeta): string {
  const map = (members: Readonly<Record<string, string>> = {}): string =>
    `map[string]string{${Object.keys(members)
      .sort()
      .map(key => `${key}: ${members[key]},`)
      .join('')}}`
  const names = `Name:${name},GenerateName:${generateName},Namespace:,SelfLink:,UID:,ResourceVersion:,Generation:0,`
  const times = 'CreationTimestamp:0001-01-01 00:00:00 +0000 UTC,DeletionTimestamp:<nil>,DeletionGracePeriodSeconds:nil,'
  const lists = `OwnerReferences:[]OwnerReference{},Finalizers:[${(rest.finalizers ?? []).join(' ')}],ManagedFields:[]ManagedFieldsEntry{},`
  return `&ObjectMeta{${names}${times}Labels:${map(labels)},Annotations:${map(annotations)},${lists}}`
}

/** Formats metav1.LabelSelector like its generated String method. */
function selectorText({ matchLabels, matchExpressions }: LabelSelector): string {
  const labels = Object.keys(matchLabels ?? {})
    .sort()
    .map(key => `${key}: ${matchLabels?.[key]},`)
  const expressions = (matchExpressions ?? []).map(
    ({ key = '', operator = '', values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  )
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
}
