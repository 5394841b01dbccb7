import { useMemo, useState } from 'preact/hooks'
import { fieldOwners, type Manager } from '../field-owners.ts'
import { type AnyObject, age, isRecord, type Json } from '../objects.ts'
import { useSeen } from '../window-rows.tsx'
import { lineText, type YamlLine, yamlLines } from '../yaml-lines.ts'

const LINE_PX = 20
/** Number of colors. Further managers repeat them. */
const COLOURS = 8

const letterOf = (owner: number): string => String.fromCharCode(65 + (owner % 26)) + (owner < 26 ? '' : String(Math.floor(owner / 26)))

/** An object as YAML. Each field has the color and letter of its manager. */
export function OwnedYaml({ object }: { readonly object: AnyObject & Json }) {
  const [showsManagers, setShowsManagers] = useState(false)
  const [only, setOnly] = useState<number>()
  const owners = useMemo(() => fieldOwners(object, object.metadata.managedFields ?? []), [object])
  const lines = useMemo(() => yamlLines(showsManagers ? object : withoutManagers(object)), [object, showsManagers])
  const { scroller, seen } = useSeen(lines.length, LINE_PX)
  const copy = (): void => void navigator.clipboard?.writeText(lines.map(lineText).join('\n'))
  return (
    <div class="owned">
      <Legend managers={owners.managers} only={only} onOnly={setOnly} />
      <div class="toolbar">
        <label class="check">
          <input type="checkbox" checked={showsManagers} onChange={event => setShowsManagers(event.currentTarget.checked)} /> managedFields
        </label>
        <button type="button" class="quiet" onClick={copy}>
          Copy
        </button>
        <span class="muted">{lines.length.toLocaleString('en')} lines</span>
      </div>
      <div class="scroller code" ref={scroller} tabIndex={0} role="region" aria-label="YAML">
        <div style={{ height: `${lines.length * LINE_PX}px` }} class="code-height">
          <div style={{ transform: `translateY(${seen.first * LINE_PX}px)` }}>
            {lines.slice(seen.first, seen.end).map((line, i) => {
              const own = owners.ownersOf(line.path)
              return (
                <OwnedLine
                  key={seen.first + i}
                  line={line}
                  own={own}
                  isFaint={only !== undefined && !own.includes(only)}
                  managers={owners.managers}
                />
              )
            })}
          </div>
        </div>
      </div>
    </div>
  )
}

interface LineProps {
  readonly line: YamlLine
  readonly own: readonly number[]
  readonly isFaint: boolean
  readonly managers: readonly Manager[]
}

function OwnedLine({ line, own, isFaint, managers }: LineProps) {
  const [first] = own
  const title = own.map(owner => managers[owner]?.name ?? '').join(', ')
  return (
    <div class={`line${first === undefined ? '' : ` owner-${first % COLOURS}`}${isFaint ? ' faint' : ''}`}>
      <span class="owner" title={title}>
        {own.map(letterOf).join('').slice(0, 4)}
      </span>
      <span class="text">
        {'  '.repeat(Math.min(line.indent, 200))}
        {line.dash ? '- ' : ''}
        {line.key !== undefined && <span class="key">{line.key}</span>}
        {line.key !== undefined && ':'}
        {line.key !== undefined && line.value ? ' ' : ''}
        {line.value !== undefined && <bdi class={`value ${line.form ?? ''}`}>{line.value}</bdi>}
        {line.cutFrom !== undefined && <span class="cut"> … {line.cutFrom.toLocaleString('en')} characters</span>}
      </span>
    </div>
  )
}

interface LegendProps {
  readonly managers: readonly Manager[]
  readonly only: number | undefined
  onOnly(owner: number | undefined): void
}

function Legend({ managers, only, onOnly }: LegendProps) {
  const now = Date.now()
  if (managers.length === 0) return <p class="muted">No field of this object has a manager.</p>
  return (
    <ul class="legend" aria-label="Owners of fields">
      {managers.map(({ name, operation, subresource, time }, owner) => (
        <li key={`${owner}`}>
          <button
            type="button"
            class={`owner-${owner % COLOURS}`}
            aria-pressed={only === owner}
            onClick={() => onOnly(only === owner ? undefined : owner)}
          >
            <span class="owner">{letterOf(owner)}</span>
            <bdi>{name.slice(0, 128)}</bdi>
            <span class="muted">
              {operation}
              {subresource === '' ? '' : ` of ${subresource}`}
              {time === '' ? '' : `, ${age(time, now)} ago`}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Removes managedFields, which the colors represent. */
export function withoutManagers(object: Json): Json {
  if (!isRecord(object) || !isRecord(object.metadata)) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
