import type { PodSpec } from '../../../api/core/v1.types.ts'
import { badRequestError } from '../../../meta/status.ts'
import { allContainers } from '../pod-spec/visit.ts'

/**
 * Returns the container that a request for the pod `name` refers to: `asked`, or the only container if `asked` is
 * empty. Throws 400.
 */
export function containerName(name: string, spec: PodSpec, asked: string): string {
  const all = allContainers(spec).map(container => container.name)
  if (asked !== '') {
    if (!all.includes(asked)) throw badRequestError(`container ${asked} is not valid for pod ${name}`)
    return asked
  }
  const [first, second] = spec.containers ?? []
  if (first && !second) return first.name
  if (!first) throw badRequestError(`a container name must be specified for pod ${name}`)
  throw badRequestError(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`)
}
