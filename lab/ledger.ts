import { ORDER } from './order.ts'
import type { Warehouse } from './warehouse.ts'

export type Invoice = { order: string; reservation: string }

/** The book of invoices that went out. */
export class Ledger {
  readonly invoices: (Invoice & { key: string })[] = []

  /** Sends an invoice under a key; the same key again sends nothing new. */
  async send(invoice: Invoice, key: string): Promise<string> {
    if (!this.invoices.some((sent) => sent.key === key)) this.invoices.push({ ...invoice, key })
    return `invoice for order ${invoice.order} is out`
  }

  /** True if the customer got one invoice, and it names a reservation made for this order before it went out. */
  keptTheRule(warehouse: Warehouse, isOurs: (key: string) => boolean): boolean {
    const [invoice, ...more] = this.invoices.filter(({ order }) => order === ORDER)
    return (
      more.length === 0 &&
      warehouse.reservations.some(({ id, key }) => id === invoice?.reservation && isOurs(key))
    )
  }
}
