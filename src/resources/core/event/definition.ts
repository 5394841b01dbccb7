import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { nameIsPathSegment } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { eventsV1 } from '../../events/event/definition.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { eventTable } from './table.ts'
import { validateEvent } from './validation.ts'

const involved = (field: string) => (event: KubeObject) => (event.involvedObject?.[field] as string | undefined) ?? ''

const v1: Version = {
  group: '',
  name: 'v1',
  kind: 'Event',
  names: { plural: 'events', singular: 'event', shortNames: ['ev'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.Event'),
  table: eventTable,
  selectableFields: {
    'involvedObject.kind': involved('kind'),
    'involvedObject.namespace': involved('namespace'),
    'involvedObject.name': involved('name'),
    'involvedObject.uid': involved('uid'),
    'involvedObject.apiVersion': involved('apiVersion'),
    'involvedObject.resourceVersion': involved('resourceVersion'),
    'involvedObject.fieldPath': involved('fieldPath'),
    reason: event => event.reason ?? '',
    reportingComponent: event => event.reportingComponent ?? '',
    source: event => event.source?.component || (event.reportingComponent ?? ''),
    type: event => event.type ?? '',
  },
}

/** Events with a lifetime of so many seconds, counted anew at every write. */
export const eventResourceWithTtl = (seconds: number): ResourceDefinition => ({
  scope: 'Namespaced',
  versions: [v1, eventsV1],
  home: v1,
  storage: { prefix: 'events', version: v1 },
  strategy: {
    allowCreateOnUpdate: true,
    validateName: nameIsPathSegment,
    validate: (next, old, { request }) => validateEvent(next, old, request?.info.group === eventsV1.group),
    ttlSeconds: () => seconds,
  },
})
