import type { FaultEvent, FaultMatch, FaultSpec } from '../faults/fault-spec.ts'
import type { Entry, EventEntry, RequestEntry } from './recording.ts'

/** Requests and names by which faults select. */
export interface Nameable {
  /** Selects the controller's requests. */
  readonly subject: FaultMatch
  /** Names of objects that all undisturbed runs have. Others are generated. */
  readonly names: ReadonlySet<string>
}

/** A request or event of the controller, with its number among those that a fault cannot distinguish from it. */
export interface Numbered<T> {
  readonly entry: T
  readonly skip: number
}

const nameIn = ({ name }: { readonly name: string }, { names }: Nameable): string => (names.has(name) ? name : '')

function numbered<T>(entries: readonly T[], key: (entry: T) => string): Numbered<T>[] {
  const counts = new Map<string, number>()
  return entries.map(entry => {
    const skip = counts.get(key(entry)) ?? 0
    counts.set(key(entry), skip + 1)
    return { entry, skip }
  })
}

/** Returns the controller's requests with their numbers. */
export const numberedRequests = (entries: readonly Entry[], nameable: Nameable): Numbered<RequestEntry>[] =>
  numbered(
    entries.filter(entry => entry.kind === 'request').filter(({ isController }) => isController),
    entry => `${entry.verb} ${entry.resource} ${entry.namespace} ${nameIn(entry, nameable)}`,
  )

/** Returns the controller's events with their numbers. */
export const numberedEvents = (entries: readonly Entry[], nameable: Nameable): Numbered<EventEntry>[] =>
  numbered(
    entries.filter(entry => entry.kind === 'event'),
    entry => `${entry.resource} ${entry.type} ${entry.namespace} ${nameIn(entry, nameable)}`,
  )

/** Match and rate of one request. */
export function requestFault({ entry, skip }: Numbered<RequestEntry>, nameable: Nameable): Pick<FaultSpec, 'match' | 'rate'> {
  const { verb, resource, namespace } = entry
  const name = nameIn(entry, nameable)
  return {
    match: {
      ...nameable.subject,
      verbs: [verb],
      resources: [resource],
      ...(namespace !== '' && { namespaces: [namespace] }),
      ...(name !== '' && { names: [name] }),
    },
    rate: { skip, count: 1 },
  }
}

/** Match of the requests for a resource with a verb. */
export const resourceMatch = (resource: string, verb: string, { subject }: Nameable): FaultMatch => ({
  ...subject,
  resources: [resource],
  verbs: [verb],
})

/** One event, as faults of watches name it. */
export function faultEvent({ entry, skip }: Numbered<EventEntry>, nameable: Nameable): FaultEvent {
  const { type, namespace } = entry
  const name = nameIn(entry, nameable)
  return { type, ...(namespace !== '' && { namespace }), ...(name !== '' && { name }), ...(skip > 0 && { skip }) }
}
