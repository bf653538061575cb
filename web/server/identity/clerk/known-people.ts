import type { FastifyRequest } from 'fastify'
import type { Person } from '../identity.ts'
import type { ClerkSession } from './clerk-token.ts'

const MAX_KNOWN = 10_000

type Known = Omit<Person, 'tenantId'>

/** Provisions a person once for each session at the provider, and remembers the result. */
export class KnownPeople {
  readonly #provision: (session: ClerkSession, request: FastifyRequest) => Promise<Known>
  readonly #known = new Map<string, Promise<Known>>()

  constructor(provision: (session: ClerkSession, request: FastifyRequest) => Promise<Known>) {
    this.#provision = provision
  }

  /** @throws what provisioning throws; the next call tries again */
  async of(session: ClerkSession, request: FastifyRequest): Promise<Known> {
    const id = `${session.sessionId} ${session.subject}`
    const known = this.#known.get(id)
    if (known) return await known
    const provisioned = this.#provision(session, request)
    this.#remember(id, provisioned)
    try {
      return await provisioned
    } catch (error) {
      this.#known.delete(id)
      throw error
    }
  }

  #remember(id: string, person: Promise<Known>): void {
    const oldest = this.#known.size >= MAX_KNOWN ? this.#known.keys().next().value : undefined
    if (oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(id, person)
  }
}
