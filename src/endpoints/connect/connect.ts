import { decodedObject, type JsonObject } from '../../api/meta/object.ts'
import type { ConnectOptions, ConnectSubresource, Destination } from '../../catalog/connect.ts'
import { joinKeepingSlash } from '../../lib/url.ts'
import { badRequestError, failure, forbiddenError } from '../../meta/status.ts'
import { admissionRequest, groupResourceOf } from '../../registry/types.ts'
import { type Scope, targetOfScope } from '../scope.ts'
import { askAsServer } from './ask.ts'
import { forward } from './forward.ts'
import { log } from './log.ts'
import { connectOptions } from './options.ts'
import { resolveHost } from './resolve.ts'
import { asksTranslation, translate } from './translate.ts'
import { asksTunnel, tunnel } from './tunnel.ts'
import { upgrade } from './upgrade.ts'

/** Serves a subresource that connects to another server. Throws errors of the request and of the destination. */
export async function connect(scope: Scope, subresource: ConnectSubresource): Promise<void> {
  const { exchange, env, namespace, name } = scope
  const { how, options: schema } = subresource
  if (how !== 'log' && exchange.query.has('dryRun')) throw badRequestError('dryRun is not supported')
  const options = connectOptions(schema, exchange.query)
  if (subresource.subpath) options.path = joinKeepingSlash(subpathOf(scope))
  if (how !== 'log') await admit(scope, { kind: schema.name, apiVersion: 'v1', ...options })
  if (how === 'upgrade') await authorizeCreation(scope)
  const api = env.registry.access(exchange.ctx.signal)
  const located = await subresource.locate({ namespace, name, options, api, kubelets: env.kubelets })
  if (how === 'log') return log(exchange, located, env.kubelets, name)
  if (!located) throw failure(500, '', 'there is nowhere to connect to')
  const addresses = await resolveHost(located)
  const destination = addresses ? { ...located, addresses } : located
  if (exchange.asksUpgrade) return leaveHttp(scope, subresource, destination, options)
  if (how === 'upgrade') throw badRequestError('Upgrade request required')
  return forward(exchange, destination, { ask: askAsServer(env.kubelets) })
}

/**
 * Serves an upgrade. Port forwards and commands of WebSocket clients are translated if the gates are enabled;
 * everything else is proxied unchanged.
 */
function leaveHttp(
  { exchange, env }: Scope,
  { speaks }: ConnectSubresource,
  destination: Destination,
  options: ConnectOptions,
): Promise<void> {
  const { kubelets, streams } = env
  if (speaks === 'remote command' && streams?.translates && asksTranslation(exchange))
    return translate(exchange, destination, kubelets, options, streams.metrics)
  if (speaks === 'port forward' && streams?.tunnels && asksTunnel(exchange)) return tunnel(exchange, destination, kubelets, streams.metrics)
  return upgrade(exchange, destination, { ask: askAsServer(kubelets) })
}

/** Authorizes `create` for a stream by an upgraded GET, which has the effect of a POST. Throws 403. */
async function authorizeCreation({ exchange, env, info, served, name }: Scope): Promise<void> {
  if (!env.streamCreation || info.verb === 'create') return
  const { user, signal } = exchange.ctx
  const { decision, reason } = await env.streamCreation(user, { ...info, verb: 'create' }, signal)
  if (decision !== 'allow') throw forbiddenError(groupResourceOf(served), name, reason)
}

/** Returns the path behind the subresource, with a leading slash. A trailing slash is kept. */
function subpathOf({ info }: Scope): string {
  const { path } = info
  const rest = info.rest.join('/')
  const led = rest === '' || rest.startsWith('/') ? rest : `/${rest}`
  return path.endsWith('/') && !led.endsWith('/') ? `${led}/` : led
}

/** Runs admission of CONNECT. Its object is the options. */
async function admit(scope: Scope, options: JsonObject): Promise<void> {
  const object = decodedObject(options)
  await scope.env.registry.admit(admissionRequest({ ...targetOfScope(scope), dryRun: false }, 'CONNECT', { object }))
}
