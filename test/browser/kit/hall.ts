import type { TestClient } from '#test/kit/client.ts';

/** The seats of an event in the order of its layout, as the page numbers them. */
export async function hallOf(client: TestClient, eventId: string) {
  const event = await client.getEvent({ params: { eventId } });
  const layout = await client.getLayout({ params: { layoutId: event.layoutId } });
  const seatIds: string[] = [];
  const gradeOf = new Map<string, string>();
  for (const section of layout.sections) {
    for (const row of section.rows) {
      for (const [place, label] of row.labels.entries()) {
        const seatId = `${section.id}-${row.label}-${label}`;
        seatIds.push(seatId);
        gradeOf.set(seatId, layout.grades[row.grades[place] ?? 0] ?? '');
      }
    }
  }
  const grades = event.prices.map(({ grade, priceKrw, seats }) => ({ grade, priceKrw, left: seats }));
  return {
    eventId,
    layoutId: event.layoutId,
    seatIds,
    grades,
    areas: event.ticketTypes.map(({ id, capacity }) => ({ ticketTypeId: id, left: capacity })),
    priceOf(seatId: string) {
      const grade = gradeOf.get(seatId) ?? '';
      return { grade, priceKrw: grades.find((known) => known.grade === grade)?.priceKrw ?? 0 };
    },
  };
}
