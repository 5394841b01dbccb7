import { createServerProcess } from './server-process.ts'

// A program: starts a server with each of several lists of flags (JSON), asks it what a test wants to know, and prints
// what they returned as a list of JSON.

const [program = '', lists = '[]'] = process.argv.slice(2)

async function askedOf(flags: readonly string[]): Promise<object> {
  const server = await createServerProcess(flags, program)
  const items = async (path: string): Promise<number> =>
    ((await (await fetch(server.url + path)).json()) as { items: unknown[] }).items.length
  try {
    await server.start()
    const configuration = (await (await fetch(`${server.url}/.well-known/openid-configuration`)).json()) as { jwks_uri: string }
    return {
      clusterRoles: await items('/apis/rbac.authorization.k8s.io/v1/clusterroles'),
      services: await items('/api/v1/namespaces/default/services'),
      endpoints: await items('/api/v1/namespaces/default/endpoints'),
      slices: await items('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices'),
      isKeySetHere: configuration.jwks_uri === `${server.secureUrl}/openid/v1/jwks`,
      warnings: server.log().match(/^.*refused.*$/gm) ?? [],
    }
  } finally {
    await server.stop()
  }
}

const answers: object[] = []
for (const flags of JSON.parse(lists) as string[][]) answers.push(await askedOf(flags))
process.stdout.write(JSON.stringify(answers))
