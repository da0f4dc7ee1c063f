/** The values of one property of the events; its name is asked for, since every application has its own. */
import { LIMITS } from "@headwater/contract/limits";
import { Button, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Ranking } from "./ranking.tsx";
import type { View } from "./view.ts";

export function Properties({ view }: { readonly view: View }) {
  const { search, change } = view;
  const asked = search.property ?? "";
  const [name, setName] = useState(asked);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change({ property: name.trim() });
  };
  return (
    <>
      <form onSubmit={submit} className="in-line property">
        <TextInput
          label="Property"
          placeholder="plan"
          maxLength={LIMITS.statsPropertyLength}
          spellCheck={false}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={name.trim() === ""}>
          Show values
        </Button>
      </form>
      {asked === "" ? (
        <Text size="sm" c="dimmed" py="md">
          {search.event === undefined
            ? "Choose an event in the list first to see the values of that event alone."
            : "The values of the chosen event's property show here."}
        </Text>
      ) : (
        <Ranking key={asked} dimension={`property:${asked}`} metrics={["events", "visitors"]} view={view} />
      )}
    </>
  );
}
