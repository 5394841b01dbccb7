import type { Exchange } from '../../endpoints/exchange.ts'
import type { OwnRoute } from '../../endpoints/own-route.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { type Authorizer, allows } from '../../meta/authorizer.ts'
import { parsedObject } from '../../meta/json-members.ts'
import { resourceAttributes } from '../../meta/request-attributes.ts'
import { badRequestError, forbiddenError, methodNotAllowedError, pathNotFoundError, type StatusError } from '../../meta/status.ts'
import { toStatus } from '../../registry/errors.ts'
import { BRANCH_NAME } from '../../server/mounts/mount-path.ts'
import { key } from '../../storage/revision.ts'
import type { ControlPlane } from '../control-plane.ts'
import { branchChangesPage, FIRST } from './branch-changes.ts'
import type { Branch, Branches } from './branches.ts'

const ROOT = '/binnacle/v1/branches'
const API_VERSION = 'binnacle.dev/v1'
const MOST_BODY_BYTES = 4096

interface RouteParts {
  /** Authorizer of this server, not of the branch. */
  readonly authorizer: Authorizer
  readonly plane: ControlPlane
}

/**
 * Endpoints that create, list and delete branches and show their changes. A branch contains everything on the server,
 * so creating one or reading its changes requires permission to read everything.
 */
export function branchRoutes(branches: Branches, parts: RouteParts): readonly OwnRoute[] {
  return [
    {
      path: ROOT,
      methods: ['GET', 'POST'],
      handle: exchange => (exchange.method === 'POST' ? create(branches, parts, exchange) : listBranches(branches, exchange)),
    },
    { path: `${ROOT}/`, methods: ['GET', 'DELETE'], handle: exchange => one(branches, parts, exchange) },
  ]
}

const sendJson = (exchange: Exchange, code: number, value: object): Promise<void> =>
  exchange.sendBytes(code, 'application/json', Buffer.from(JSON.stringify(value)))

/** A branch as JSON. */
const branchJson = ({ name, fork, createdAt, createdBy, isLost }: Branch): object => ({
  kind: 'Branch',
  apiVersion: API_VERSION,
  name,
  path: `/binnacle/branches/${name}`,
  revision: fork.forkedAt,
  created: new Date(createdAt).toISOString(),
  createdBy,
  bytes: fork.bytes(),
  state: isLost ? 'Lost' : 'Open',
})

const listBranches = (branches: Branches, exchange: Exchange): Promise<void> =>
  sendJson(exchange, 200, { kind: 'BranchList', apiVersion: API_VERSION, items: branches.list().map(branchJson) })

async function create(branches: Branches, { authorizer }: RouteParts, exchange: Exchange): Promise<void> {
  await mayReadAll(authorizer, exchange)
  const { name, at } = parseBranchRequest((await exchange.readBody(MOST_BODY_BYTES)).toString())
  const { user, signal } = exchange.ctx
  return sendJson(exchange, 201, branchJson(await branches.create(name, user.name, at, signal)))
}

/** Parses the request body. Throws 400. */
function parseBranchRequest(body: string): { readonly name: string; readonly at: number | undefined } {
  let asked: ReturnType<typeof parsedObject>
  try {
    asked = parsedObject(body)
  } catch (error) {
    throw badRequestError(errorMessage(error))
  }
  const { name, at, ...others } = asked ?? {}
  const [unknown] = Object.keys(others)
  if (asked === undefined || unknown !== undefined)
    throw badRequestError(
      unknown === undefined ? 'the body must be a JSON object' : `unknown field ${JSON.stringify(unknown)}: a branch has "name" and "at"`,
    )
  if (typeof name !== 'string' || !BRANCH_NAME.test(name))
    throw badRequestError(
      "name: must be a DNS label: at most 63 lower case letters, digits and '-', beginning and ending with a letter or digit",
    )
  if (at !== undefined && !(typeof at === 'number' && Number.isSafeInteger(at) && at > 0)) throw badRequestError('at: must be a revision')
  return { name, at }
}

/** Handles GET and DELETE of a branch, and GET of its changes. */
async function one(branches: Branches, parts: RouteParts, exchange: Exchange): Promise<void> {
  const [name = '', view, ...more] = exchange.path.slice(ROOT.length + 1).split('/')
  if (more.length > 0 || (view !== undefined && view !== 'changes')) throw pathNotFoundError()
  if (view === 'changes') {
    if (exchange.method !== 'GET') throw methodNotAllowedError()
    return changes(branches, parts, exchange, name)
  }
  if (exchange.method === 'GET') return sendJson(exchange, 200, branchJson(branches.get(name)))
  await branches.delete(name)
  return sendJson(exchange, 200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, kind: 'branches' },
    code: 200,
  })
}

/** Handles GET of a branch's changes, page by page. Requires permission to read everything. */
async function changes(branches: Branches, { authorizer, plane }: RouteParts, exchange: Exchange, name: string): Promise<void> {
  await mayReadAll(authorizer, exchange)
  const branch = branches.get(name)
  branches.checkKept(branch)
  const start = exchange.query.get('continue') ?? FIRST
  try {
    const { items, next } = await branchChangesPage(branch, plane, key(start), exchange.ctx.signal)
    await sendJson(exchange, 200, {
      kind: 'BranchChanges',
      apiVersion: API_VERSION,
      items,
      metadata: next === undefined ? {} : { continue: next },
    })
  } catch (error) {
    throw toStatus(error, { gr: { group: '', resource: 'branches' }, name, verb: 'get' })
  }
}

/** Checks permission to read all resources. Throws 403. */
async function mayReadAll(authorizer: Authorizer, { ctx }: Exchange): Promise<void> {
  for (const verb of ['get', 'list'])
    if (!(await allows(authorizer, ctx, resourceAttributes({ verb, group: '*', resource: '*' })))) throw forbiddenToAll(ctx.user.name, verb)
}

const forbiddenToAll = (user: string, verb: string): StatusError =>
  forbiddenError(
    { group: '', resource: 'branches' },
    '',
    `a branch holds everything, and user ${JSON.stringify(user)} cannot ${verb} every resource in every API group`,
  )
