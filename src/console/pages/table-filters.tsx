import { useState } from 'preact/hooks'
import { type Kind, resourcePath } from '../kinds.ts'
import type { AnyObject } from '../objects.ts'
import { type Route, routeHash } from '../route.ts'
import { callJson } from '../session.ts'
import { useFetched } from '../use.ts'

/** Media type of lists without spec and status. */
const NAMES_ONLY = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
/** Limit for suggestions. Other names can be typed. */
const MOST_NAMESPACES = 500

/** Returns the names of namespaces as suggestions. */
async function namespaces(signal: AbortSignal): Promise<readonly string[]> {
  const path = `${resourcePath({ group: '', version: 'v1', resource: 'namespaces' })}?limit=${MOST_NAMESPACES}`
  const list = await callJson<{ readonly items: readonly AnyObject[] | null }>(path, { headers: { Accept: NAMES_ONLY }, signal })
  return (list.items ?? []).map(({ metadata }) => metadata.name)
}

/** Filters of a collection. They are stored in the address, so that the back button restores them. */
export function TableFilters({ kind, route }: { readonly kind: Kind; readonly route: Route }) {
  const { value: names = [] } = useFetched(namespaces, [])
  const change = (name: string, value: string): void => location.replace(routeHash(route.parts, { ...route.query, [name]: value }))
  return (
    <form class="filters" role="search" aria-label="Filter objects" onSubmit={event => event.preventDefault()}>
      {kind.namespaced && (
        <Field label="Namespace" name="namespace" value={route.query.namespace ?? ''} hint="all" list={names} onChange={change} />
      )}
      <Field label="Labels" name="labels" value={route.query.labels ?? ''} hint="app=web,tier!=back" onChange={change} />
      <Field label="Text" name="text" value={route.query.text ?? ''} hint="in any cell or label" isLive onChange={change} />
      <label class="check">
        <input
          type="checkbox"
          checked={route.query.wide === '1'}
          onChange={event => change('wide', event.currentTarget.checked ? '1' : '')}
        />{' '}
        All columns
      </label>
    </form>
  )
}

/** A text field and the member of the address that it changes. */
interface FieldProps {
  /** Visible name of the field. */
  readonly label: string
  /** Query parameter of the address. */
  readonly name: string
  readonly value: string
  /** Text in an empty field. */
  readonly hint: string
  /** Optional. Suggestions. Choosing one applies the filter at once. */
  readonly list?: readonly string[]
  /** Optional. Whether the filter applies on each keystroke. Default: when the field loses the focus. */
  readonly isLive?: boolean
  /** Called with the name of the field, if the text differs from `value`. */
  onChange(name: string, value: string): void
}

/** Keeps a draft until the filter applies, so that the page is not loaded for each keystroke. */
function Field({ label, name, value, hint, list, isLive = false, onChange }: FieldProps) {
  const [draft, setDraft] = useState<string>()
  const done = (text: string): void => {
    setDraft(undefined)
    if (text !== value) onChange(name, text)
  }
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        name={name}
        value={draft ?? value}
        placeholder={hint}
        autocomplete="off"
        spellcheck={false}
        list={list && `${name}-choice`}
        onInput={({ currentTarget }) =>
          isLive || list?.includes(currentTarget.value) ? done(currentTarget.value) : setDraft(currentTarget.value)
        }
        onChange={({ currentTarget }) => done(currentTarget.value)}
      />
      {list && (
        <datalist id={`${name}-choice`}>
          {list.map(each => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </label>
  )
}
