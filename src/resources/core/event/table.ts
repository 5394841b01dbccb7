import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { column, nameColumn } from '../../shared/columns.ts'

const targetOf = ({ kind = '', name = '' }: { kind?: string; name?: string }): string => (name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`)

/** The component and its instance: of the old form, or else of the new. */
function sourceOf(event: KubeObject): string {
  const component: string = event.source?.component || event.reportingComponent || ''
  const instance: string = event.source?.host || event.reportingInstance || ''
  return instance === '' ? component : `${component}, ${instance}`
}

export const eventTable: TableDefinition = {
  columns: [
    column('Last Seen', 'Time since it was last observed.'),
    column('Type', 'Normal or Warning.'),
    column('Reason', 'Short word for why it happened.'),
    column('Object', 'What it is about.'),
    column('Subobject', 'Part of the object, as a path of fields.', 1),
    column('Source', 'Who reports it.', 1),
    column('Message', 'What happened, for people.'),
    column('First Seen', 'Time since it was first observed.', 1),
    column('Count', 'How often it was observed.', 1),
    { ...nameColumn, priority: 1 },
  ],
  cells(event, now) {
    const first = age(event.firstTimestamp ?? event.eventTime, now)
    const last = event.series ? age(event.series.lastObservedTime, now) : event.lastTimestamp ? age(event.lastTimestamp, now) : first
    const count: number = event.series ? (event.series.count ?? 0) : event.count || 1
    return [
      last,
      event.type ?? '',
      event.reason ?? '',
      targetOf(event.involvedObject ?? {}),
      event.involvedObject?.fieldPath ?? '',
      sourceOf(event),
      (event.message ?? '').trim(),
      first,
      count,
      event.metadata.name ?? '',
    ]
  },
}
