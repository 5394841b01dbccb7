import { createServerProcess } from './server-process.ts'

// A program: starts a server by the program and the flags that it is given, asks it what a test wants to know, and
// prints that as JSON.

const [program = '', ...flags] = process.argv.slice(2)
const server = await createServerProcess(flags, program)
const items = async (path: string): Promise<number> =>
  ((await (await fetch(server.url + path)).json()) as { items: unknown[] }).items.length
try {
  await server.start()
  const configuration = (await (await fetch(`${server.url}/.well-known/openid-configuration`)).json()) as { jwks_uri: string }
  const answer = {
    clusterRoles: await items('/apis/rbac.authorization.k8s.io/v1/clusterroles'),
    services: await items('/api/v1/namespaces/default/services'),
    endpoints: await items('/api/v1/namespaces/default/endpoints'),
    slices: await items('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices'),
    isKeySetHere: configuration.jwks_uri === `${server.secureUrl}/openid/v1/jwks`,
    warnings: server.log().match(/^.*refused.*$/gm) ?? [],
  }
  process.stdout.write(JSON.stringify(answer))
} finally {
  await server.stop()
}
