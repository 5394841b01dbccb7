import { SERVER_USER } from '../../registry/internal-context.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { Filling } from '../filling.ts'
import { refuse } from '../refuse.ts'
import { isExemptFromPolicies } from './exempt.ts'

/** How long a request waits for the policies of a server that has just begun. */
const FILL_MS = 10_000

/** What is known of the policies of one kind. */
interface Known {
  readonly filling: Filling
  readonly active: readonly unknown[]
}

/** Whether there are policies to ask, as far as is known. What the server does itself while it starts waits for nothing. */
export const mayHavePolicies = ({ filling, active }: Known, request: AdmissionRequest): boolean =>
  (filling.isOpen ? request.ctx.user !== SERVER_USER : active.length > 0) && request.nested !== true && !isExemptFromPolicies(request)

/** Throws 403 where it is not known in time which policies there are. */
export async function awaitPolicies({ filling }: Known, request: AdmissionRequest): Promise<void> {
  if (filling.isOpen && !(await filling.ended(FILL_MS))) throw refuse(request, 'not yet ready to handle request')
}
