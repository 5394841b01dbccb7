import { useState } from 'preact/hooks'
import { lineDiff, nearDifferences } from '../../lib/line-diff.ts'
import { type AnyObject, age, isRecord, type Json } from '../objects.ts'
import { Failure, Loading, Note, Off } from '../parts.tsx'
import { callJson } from '../session.ts'
import { useFetched, useNow } from '../use.ts'
import { lineText, yamlLines } from '../yaml-lines.ts'
import { withoutManagers } from './owned-yaml.tsx'
import type { TabProps } from './tab-props.ts'

/** Item of the response of `GET /binnacle/v1/history/…`. */
interface Moment {
  readonly revision: number | string
  /** RFC 3339. Omitted if it was not recorded. */
  readonly time?: string
  readonly type: 'created' | 'updated' | 'deleted'
  /** Omitted for a deletion, and for a revision that cannot be decoded. */
  readonly object?: AnyObject & Json
}

/** Page of the history of an object, newest first. */
interface History {
  readonly items: readonly Moment[]
  /** Continue token if there are older revisions. */
  readonly metadata?: { readonly continue?: string }
}

/** Number of revisions that the page loads. */
const CHUNK = 50
/** Context lines of a difference. */
const CONTEXT = 3
/** Limit for the lines of a diff. */
const MOST_SHOWN = 2_000

/** Revisions of an object, and the differences between them. */
export function HistoryTab({ path, object }: TabProps) {
  const now = useNow(1_000)
  const [chosen, setChosen] = useState(0)
  const { value, error } = useFetched(signal => callJson<History>(`/binnacle/v1/history${path}?limit=${CHUNK}`, { signal }), [path, object])
  if (error?.status === 404) return <Off what="History" flag="--history=24h" />
  if (error) return <Failure error={error} />
  if (value === undefined) return <Loading />
  if (value.items.length === 0) return <Note title="No revision of this object is kept." />
  const moment = value.items[chosen]
  return (
    <div class="split">
      <ol class="moments" aria-label="Revisions, the newest first">
        {value.items.map(({ revision, time, type }, i) => (
          <li key={String(revision)}>
            <button type="button" aria-pressed={i === chosen} onClick={() => setChosen(i)}>
              <span class={`sign ${type}`}>{type}</span> <span>{time === undefined ? '' : `${age(time, now)} ago`}</span>
              <span class="muted">revision {String(revision)}</span>
            </button>
          </li>
        ))}
        {value.metadata?.continue !== undefined && value.metadata.continue !== '' && <li class="muted">Older revisions are not shown.</li>}
      </ol>
      {moment && <Difference before={value.items[chosen + 1]} after={moment} />}
    </div>
  )
}

/** Removes the fields that every write changes. */
function compared(object: Json): Json {
  const without = withoutManagers(object)
  if (!isRecord(without) || !isRecord(without.metadata)) return without
  const { resourceVersion: _, ...metadata } = without.metadata
  return { ...without, metadata }
}

const momentLines = (moment: Moment | undefined): string[] => (moment?.object ? yamlLines(compared(moment.object)).map(lineText) : [])

/** Compares a revision with the one before it. Without one, all lines are added. */
function Difference({ before, after }: { readonly before: Moment | undefined; readonly after: Moment }) {
  const lines = nearDifferences(lineDiff(momentLines(before), momentLines(after)), CONTEXT)
  return (
    <div class="scroller code diff" tabIndex={0} role="region" aria-label={`Changes of revision ${after.revision}`}>
      {lines.slice(0, MOST_SHOWN).map((line, i) =>
        'skipped' in line ? (
          <div key={i} class="line skipped">
            … {line.skipped} equal lines
          </div>
        ) : (
          <div key={i} class={`line ${line.sign === '+' ? 'added' : line.sign === '-' ? 'removed' : ''}`}>
            <span class="owner">{line.sign}</span>
            <bdi class="text">{line.text}</bdi>
          </div>
        ),
      )}
      {lines.length > MOST_SHOWN && <p class="muted">{lines.length - MOST_SHOWN} more lines</p>}
    </div>
  )
}
