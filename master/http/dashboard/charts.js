// The charts of the last ten minutes. common/web/drawing.js draws them; its global is `drawing`.
/* global drawing */

const plots = [
  {title: 'Matches and refusals a second', series: [
    {label: 'matches/s', key: 'matches_per_s', ink: 'playing'},
    {label: 'refusals/s', key: 'refusals_per_s', ink: 'draining', dash: [4, 4]}]},
  {title: 'Time to match and boot time, ms, of the minute before', series: [
    {label: 'match p50', key: 'match_p50_ms', ink: 'playing'},
    {label: 'match p99', key: 'match_p99_ms', ink: 'draining', dash: [4, 4]},
    {label: 'boot p50', key: 'boot_p50_ms', ink: 'holds', dash: [1, 3]}]},
  {title: 'Requests waiting, and rooms', series: [
    {label: 'waiting', key: 'waiting', ink: 'starting'},
    {label: 'rooms', key: 'rooms', ink: 'holds', dash: [4, 4]}]}
];
const plot_height = 130;
const seconds = 600;  // the length of the x axis

const shown = (_, value) => value === null || value === undefined ? '–' :
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Math.round(value * 10) / 10);

const clock = (at_s, timeStyle) =>
  new Date(at_s * 1000).toLocaleTimeString('en-GB', {timeStyle});

export class Charts {
  constructor(place) {
    this.place = place;
    this.data = plots.map(plot => [[], ...plot.series.map(() => [])]);
    this.restyle();
  }

  // Draws the charts again after the colours of the page have changed.
  restyle() {
    this.place.replaceChildren();
    this.plots = plots.map((plot, index) => drawing.chart(this.place, {
      title: plot.title,
      height: plot_height,
      scales: {
        x: {range: (_, least, most) => [(most ?? seconds) - seconds, most ?? seconds]},
        y: {range: (_, least, most) => [0, Math.max(1, (most ?? 0) * 1.1)]}
      },
      axes: [
        {size: 26, values: (_, times) => times.map(at => clock(at, 'short'))},
        {size: 44}
      ],
      series: [{value: (_, at) => at === null ? '–' : clock(at, 'medium')},
        ...plot.series.map(({label, ink, dash}) =>
          ({label, stroke: drawing.ink(ink), width: 1.5, dash, value: shown}))]
    }, this.data[index]));
  }

  show(samples) {
    const times = samples.map(sample => sample.at_s);
    plots.forEach((plot, index) => {
      this.data[index] =
        [times, ...plot.series.map(({key}) => samples.map(sample => sample[key]))];
      this.plots[index].setData(this.data[index]);
    });
  }
}
