import type { AuthServices } from '../../src/resources/builtin.ts'

/** Allows nothing, knows no token, and signs with a word. */
export const testAuth: AuthServices = {
  authorizer: { authorize: async () => ({ decision: 'no opinion', reason: '' }) },
  tokens: () => undefined,
  audiences: ['test'],
  issuer: {
    name: 'https://test',
    serverAudiences: ['test'],
    maxExpirationSeconds: 0,
    extendExpiration: false,
    maxExtendedSeconds: 365 * 24 * 3600,
    sign: async ({ sub }) => `signed for ${sub}`,
  },
}
